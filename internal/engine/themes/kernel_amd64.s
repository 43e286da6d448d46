#include "textflag.h"

// func productsAVX(a, b *float32, stride, quads int, upper, lower *float32)
//
// Two rows at a, and four times quads rows at b, stride bytes apart, a multiple
// of 32 above 0: upper and lower get the products of the first and of the second
// row at a with each row at b.
TEXT ·productsAVX(SB), NOSPLIT, $0-48
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ stride+16(FP), DX
	MOVQ quads+24(FP), CX
	MOVQ upper+32(FP), BX
	MOVQ lower+40(FP), R12
	LEAQ (SI)(DX*1), R8
	TESTQ CX, CX
	JZ   done

quad:
	LEAQ (DI)(DX*1), R9
	LEAQ (DI)(DX*2), R10
	LEAQ (R9)(DX*2), R11
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORQ AX, AX

step:
	VMOVUPS (SI)(AX*1), Y8
	VMOVUPS (R8)(AX*1), Y9
	VMOVUPS (DI)(AX*1), Y10
	VMOVUPS (R9)(AX*1), Y11
	VMOVUPS (R10)(AX*1), Y12
	VMOVUPS (R11)(AX*1), Y13
	VFMADD231PS Y8, Y10, Y0
	VFMADD231PS Y8, Y11, Y1
	VFMADD231PS Y8, Y12, Y2
	VFMADD231PS Y8, Y13, Y3
	VFMADD231PS Y9, Y10, Y4
	VFMADD231PS Y9, Y11, Y5
	VFMADD231PS Y9, Y12, Y6
	VFMADD231PS Y9, Y13, Y7
	ADDQ $32, AX
	CMPQ AX, DX
	JLT  step

	VHADDPS Y1, Y0, Y0
	VHADDPS Y3, Y2, Y2
	VHADDPS Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	VMOVUPS X0, (BX)
	VHADDPS Y5, Y4, Y4
	VHADDPS Y7, Y6, Y6
	VHADDPS Y6, Y4, Y4
	VEXTRACTF128 $1, Y4, X5
	VADDPS X5, X4, X4
	VMOVUPS X4, (R12)
	ADDQ $16, BX
	ADDQ $16, R12
	LEAQ (R11)(DX*1), DI
	DECQ CX
	JNZ  quad

done:
	VZEROUPPER
	RET

// func bytesAVX(words *int16, rows *int8, stride, n int, sums *int32)
//
// The products of the words with n rows of bytes; stride, a multiple of 32 above
// 0, is the number of words and the length of a row.
TEXT ·bytesAVX(SB), NOSPLIT, $0-40
	MOVQ words+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ stride+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ sums+32(FP), BX
	TESTQ CX, CX
	JZ   end

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	XORQ AX, AX

next:
	VPMOVSXBW (DI)(AX*1), Y2
	VPMOVSXBW 16(DI)(AX*1), Y3
	VPMADDWD (SI)(AX*2), Y2, Y2
	VPMADDWD 32(SI)(AX*2), Y3, Y3
	VPADDD Y2, Y0, Y0
	VPADDD Y3, Y1, Y1
	ADDQ $32, AX
	CMPQ AX, DX
	JLT  next

	VPADDD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, (BX)
	ADDQ $4, BX
	ADDQ DX, DI
	DECQ CX
	JNZ  row

end:
	VZEROUPPER
	RET
