#include "textflag.h"

// func productsAVX(query, matrix *float32, stride int, ids *uint32, quads int, out *float32)
//
// The products of the query with four times quads rows of the matrix, stride
// bytes each, a multiple of 64 above 0, of which ids has the numbers; quads is
// above 0.
//
// Rows are all over memory, so the first lines of the next four are called
// while four are multiplied.
TEXT ·productsAVX(SB), NOSPLIT, $0-48
	MOVQ query+0(FP), SI
	MOVQ matrix+8(FP), DI
	MOVQ stride+16(FP), DX
	MOVQ ids+24(FP), BX
	MOVQ quads+32(FP), CX
	MOVQ out+40(FP), R12

quad:
	MOVL (BX), R8
	MOVL 4(BX), R9
	MOVL 8(BX), R10
	MOVL 12(BX), R11
	IMULQ DX, R8
	IMULQ DX, R9
	IMULQ DX, R10
	IMULQ DX, R11
	ADDQ DI, R8
	ADDQ DI, R9
	ADDQ DI, R10
	ADDQ DI, R11
	CMPQ CX, $1
	JE   last
	MOVL 16(BX), AX
	IMULQ DX, AX
	PREFETCHT0 (DI)(AX*1)
	PREFETCHT0 64(DI)(AX*1)
	PREFETCHT0 128(DI)(AX*1)
	PREFETCHT0 192(DI)(AX*1)
	MOVL 20(BX), AX
	IMULQ DX, AX
	PREFETCHT0 (DI)(AX*1)
	PREFETCHT0 64(DI)(AX*1)
	PREFETCHT0 128(DI)(AX*1)
	PREFETCHT0 192(DI)(AX*1)
	MOVL 24(BX), AX
	IMULQ DX, AX
	PREFETCHT0 (DI)(AX*1)
	PREFETCHT0 64(DI)(AX*1)
	PREFETCHT0 128(DI)(AX*1)
	PREFETCHT0 192(DI)(AX*1)
	MOVL 28(BX), AX
	IMULQ DX, AX
	PREFETCHT0 (DI)(AX*1)
	PREFETCHT0 64(DI)(AX*1)
	PREFETCHT0 128(DI)(AX*1)
	PREFETCHT0 192(DI)(AX*1)

last:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ AX, AX

step:
	VMOVUPS (SI)(AX*1), Y4
	VMULPS (R8)(AX*1), Y4, Y5
	VMULPS (R9)(AX*1), Y4, Y6
	VMULPS (R10)(AX*1), Y4, Y7
	VMULPS (R11)(AX*1), Y4, Y8
	VADDPS Y5, Y0, Y0
	VADDPS Y6, Y1, Y1
	VADDPS Y7, Y2, Y2
	VADDPS Y8, Y3, Y3
	VMOVUPS 32(SI)(AX*1), Y4
	VMULPS 32(R8)(AX*1), Y4, Y5
	VMULPS 32(R9)(AX*1), Y4, Y6
	VMULPS 32(R10)(AX*1), Y4, Y7
	VMULPS 32(R11)(AX*1), Y4, Y8
	VADDPS Y5, Y0, Y0
	VADDPS Y6, Y1, Y1
	VADDPS Y7, Y2, Y2
	VADDPS Y8, Y3, Y3
	ADDQ $64, AX
	CMPQ AX, DX
	JLT  step

	VHADDPS Y1, Y0, Y0
	VHADDPS Y3, Y2, Y2
	VHADDPS Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	VMOVUPS X0, (R12)
	ADDQ $16, R12
	ADDQ $16, BX
	DECQ CX
	JNZ  quad

	VZEROUPPER
	RET

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
