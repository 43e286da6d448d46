#include "textflag.h"

// func kernel(row, matrix *float32, stride int, ids *uint32, n int, out *float32)
//
// A row at a time, as memory gives it, in four sums of eight lanes. Where the next row
// does not follow, memory is asked for it before.
TEXT ·kernel(SB), NOSPLIT, $0-48
	MOVQ row+0(FP), SI
	MOVQ matrix+8(FP), DI
	MOVQ stride+16(FP), DX
	MOVQ ids+24(FP), BX
	MOVQ n+32(FP), CX
	MOVQ out+40(FP), R9
	SHLQ $2, DX // in bytes

next:
	MOVL (BX), R8
	CMPQ CX, $1
	JE   sums
	MOVL 4(BX), R10
	LEAL 1(R8), R11
	CMPL R10, R11
	JE   sums
	IMULQ DX, R10
	ADDQ DI, R10
	XORQ AX, AX

fetch:
	PREFETCHT0 (R10)(AX*1)
	PREFETCHT0 64(R10)(AX*1)
	ADDQ $128, AX
	CMPQ AX, DX
	JLT  fetch

sums:
	IMULQ DX, R8
	ADDQ DI, R8
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ AX, AX

step:
	VMOVUPS (SI)(AX*1), Y4
	VMOVUPS 32(SI)(AX*1), Y5
	VMOVUPS 64(SI)(AX*1), Y6
	VMOVUPS 96(SI)(AX*1), Y7
	VMULPS (R8)(AX*1), Y4, Y4
	VMULPS 32(R8)(AX*1), Y5, Y5
	VMULPS 64(R8)(AX*1), Y6, Y6
	VMULPS 96(R8)(AX*1), Y7, Y7
	VADDPS Y4, Y0, Y0
	VADDPS Y5, Y1, Y1
	VADDPS Y6, Y2, Y2
	VADDPS Y7, Y3, Y3
	ADDQ $128, AX
	CMPQ AX, DX
	JLT  step

	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	VADDPS Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	VMOVHLPS X0, X0, X1
	VADDPS X1, X0, X0
	VMOVSHDUP X0, X1
	VADDSS X1, X0, X0
	VMOVSS X0, (R9)
	ADDQ $4, R9
	ADDQ $4, BX
	DECQ CX
	JNZ  next

	VZEROUPPER
	RET

// func kernel8(row *int16, matrix *int8, stride int, ids *uint32, n int, out *int32)
//
// A row at a time in two sums of eight lanes, while memory is asked for the next.
TEXT ·kernel8(SB), NOSPLIT, $0-48
	MOVQ row+0(FP), SI
	MOVQ matrix+8(FP), DI
	MOVQ stride+16(FP), DX
	MOVQ ids+24(FP), BX
	MOVQ n+32(FP), CX
	MOVQ out+40(FP), R9

next8:
	CMPQ CX, $1
	JE   sums8
	MOVL 4(BX), R10
	IMULQ DX, R10
	ADDQ DI, R10
	XORQ AX, AX

fetch8:
	PREFETCHT0 (R10)(AX*1)
	ADDQ $64, AX
	CMPQ AX, DX
	JLT  fetch8

sums8:
	MOVL (BX), R8
	IMULQ DX, R8
	ADDQ DI, R8
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	XORQ AX, AX

step8:
	VPMOVSXBW (R8)(AX*1), Y2
	VPMOVSXBW 16(R8)(AX*1), Y3
	VPMADDWD (SI)(AX*2), Y2, Y2
	VPMADDWD 32(SI)(AX*2), Y3, Y3
	VPADDD Y2, Y0, Y0
	VPADDD Y3, Y1, Y1
	ADDQ $32, AX
	CMPQ AX, DX
	JLT  step8

	VPADDD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, (R9)
	ADDQ $4, R9
	ADDQ $4, BX
	DECQ CX
	JNZ  next8

	VZEROUPPER
	RET
