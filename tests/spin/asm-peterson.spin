# Peterson's lock for two vCPUs, once as written in textbooks, once with the
# fence that x86 needs: flag and turn must be out before the other's flag is
# read. %gs:0 holds the index.

test unfenced

asm
	.globl spin_lock, spin_unlock
spin_lock:
	mov %gs:0, %eax
	movb $1, (%rdi,%rax)		# flag[me] = 1
	mov %eax, %ecx
	xor $1, %ecx
	movb %cl, 2(%rdi)		# turn = other
1:	cmpb $0, (%rdi,%rcx)		# flag[other]
	je 2f
	cmpb %cl, 2(%rdi)
	jne 2f
	pause
	jmp 1b
2:	ret
spin_unlock:
	mov %gs:0, %eax
	movb $0, (%rdi,%rax)
	ret
end

check 2x1
----
violated: exclusion

test fenced

asm
	.globl spin_lock, spin_unlock
spin_lock:
	mov %gs:0, %eax
	movb $1, (%rdi,%rax)
	mov %eax, %ecx
	xor $1, %ecx
	movb %cl, 2(%rdi)
	mfence
1:	cmpb $0, (%rdi,%rcx)
	je 2f
	cmpb %cl, 2(%rdi)
	jne 2f
	pause
	jmp 1b
2:	ret
spin_unlock:
	mov %gs:0, %eax
	movb $0, (%rdi,%rax)
	ret
end

check 2x2
----
holds

lock locked == 0
unlock instructions <= 3
