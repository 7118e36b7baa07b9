package guestcode

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Golden listings: one line an instruction, bytes first, written by hand after
// the listings of the PV ticketlock V8 cover letter (retq is ret, callq call).
// The 5-byte nop and the two hooks, at 0x180000 and 0x180008, are the only
// places where the listings leave the bytes open.
var goldens = []struct {
	variant string
	bits    int
	defines map[string]int64
	symbols []string // in order, each beginning where the one before ends
	listing string
}{
	{variant: "ticket", bits: 8, symbols: []string{"spin_lock", "spin_lock.slow"}, listing: `
		55              push   %rbp
		48 89 e5        mov    %rsp,%rbp
		b8 00 01 00 00  mov    $0x100,%eax
		66 f0 0f c1 07  lock xadd %ax,(%rdi)
		0f b6 d4        movzbl %ah,%edx
		38 c2           cmp    %al,%dl
		75 02           jne    1f
		5d              pop    %rbp
		c3              ret
		f3 90           pause
		0f b6 07        movzbl (%rdi),%eax
		38 d0           cmp    %dl,%al
		75 f7           jne    1b
		5d              pop    %rbp
		c3              ret`},
	{variant: "ticket", bits: 16, symbols: []string{"spin_lock", "spin_lock.slow"}, listing: `
		55              push   %rbp
		48 89 e5        mov    %rsp,%rbp
		b8 00 00 01 00  mov    $0x10000,%eax
		f0 0f c1 07     lock xadd %eax,(%rdi)
		89 c2           mov    %eax,%edx
		c1 ea 10        shr    $16,%edx
		66 39 c2        cmp    %ax,%dx
		75 02           jne    1f
		5d              pop    %rbp
		c3              ret
		f3 90           pause
		0f b7 07        movzwl (%rdi),%eax
		66 39 d0        cmp    %dx,%ax
		75 f6           jne    1b
		5d              pop    %rbp
		c3              ret`},
	{variant: "ticket", bits: 8, symbols: []string{"spin_unlock"}, listing: `
		55              push   %rbp
		48 89 e5        mov    %rsp,%rbp
		80 07 01        addb   $1,(%rdi)
		5d              pop    %rbp
		c3              ret`},
	{variant: "ticket-pv-kvm", bits: 8, symbols: []string{"spin_lock", "spin_lock.slow"}, listing: `
		55              push   %rbp
		48 89 e5        mov    %rsp,%rbp
		b8 00 02 00 00  mov    $0x200,%eax
		66 f0 0f c1 07  lock xadd %ax,(%rdi)
		0f b6 d4        movzbl %ah,%edx
		38 c2           cmp    %al,%dl
		75 02           jne    1f
		5d              pop    %rbp
		c3              ret
		83 e2 fe        and    $-2,%edx
		0f b6 f2        movzbl %dl,%esi
		b8 00 08 00 00  mov    $0x800,%eax
		eb 07           jmp    4f
		f3 90           pause
		83 e8 01        sub    $0x1,%eax
		74 09           je     5f
		0f b6 0f        movzbl (%rdi),%ecx
		38 ca           cmp    %cl,%dl
		75 f2           jne    3b
		5d              pop    %rbp
		c3              ret
		ff 14 25 00 00 18 00  call *__ticket_lock_spinning
		eb e0           jmp    2b`},
	{variant: "ticket-pv-kvm", bits: 8, symbols: []string{"spin_unlock", "spin_unlock.pv", "spin_unlock.slow"}, listing: `
		55              push   %rbp
		48 89 e5        mov    %rsp,%rbp
		0f 1f 44 00 00  nop5
		80 07 02        addb   $0x2,(%rdi)
		5d              pop    %rbp
		c3              ret
		0f b7 37        movzwl (%rdi),%esi
		f0 80 07 02     lock addb $0x2,(%rdi)
		f6 47 01 01     testb  $0x1,0x1(%rdi)
		74 f1           je     1b
		40 80 c6 02     add    $2,%sil
		89 f2           mov    %esi,%edx
		80 e6 fe        and    $0xfe,%dh
		0f b6 c6        movzbl %dh,%eax
		38 d0           cmp    %dl,%al
		74 0d           je     4f
		40 0f b6 f6     movzbl %sil,%esi
		ff 14 25 08 00 18 00  call *pv_lock_ops.kick
		5d              pop    %rbp
		c3              ret
		89 f0           mov    %esi,%eax
		66 f0 0f b1 17  lock cmpxchg %dx,(%rdi)
		66 39 f0        cmp    %si,%ax
		75 e7           jne    3b
		5d              pop    %rbp
		c3              ret`},
	{variant: "ticket-pv-off", bits: 16, symbols: []string{"spin_unlock.pv", "spin_unlock.slow"}, listing: `
		8b 37           mov    (%rdi),%esi
		f0 66 83 07 02  lock addw $0x2,(%rdi)
		f6 47 02 01     testb  $0x1,0x2(%rdi)
		74 f1           je     1b
		66 83 c6 02     add    $2,%si
		89 f2           mov    %esi,%edx
		81 e2 ff ff fe ff  and $0xfffeffff,%edx
		89 d0           mov    %edx,%eax
		c1 e8 10        shr    $16,%eax
		66 39 d0        cmp    %dx,%ax
		74 0c           je     4f
		0f b7 f6        movzwl %si,%esi
		ff 14 25 08 00 18 00  call *pv_lock_ops.kick
		5d              pop    %rbp
		c3              ret
		89 f0           mov    %esi,%eax
		f0 0f b1 17     lock cmpxchg %edx,(%rdi)
		39 f0           cmp    %esi,%eax
		75 ea           jne    3b
		5d              pop    %rbp
		c3              ret`},
	// Twins: the one instruction that differs.
	{variant: "ticket-pv-kvm-unlocked-add", bits: 8, symbols: []string{"spin_unlock.pv"}, listing: `
		0f b7 37        movzwl (%rdi),%esi
		80 07 02        addb   $0x2,(%rdi)
		f6 47 01 01     testb  $0x1,0x1(%rdi)
		74 f2           je     1b`},
	{variant: "ticket-pv-off-broken-inc-by-one", bits: 8, symbols: []string{"spin_unlock"}, listing: `
		55              push   %rbp
		48 89 e5        mov    %rsp,%rbp
		0f 1f 44 00 00  nop5
		80 07 01        addb   $0x1,(%rdi)
		5d              pop    %rbp
		c3              ret`},
	// Parameters reach the immediates.
	{variant: "ticket-batch", bits: 8, defines: map[string]int64{"TICKET_BATCH": 8, "SPIN_THRESHOLD": 3},
		symbols: []string{"spin_lock"}, listing: `
		55              push   %rbp
		48 89 e5        mov    %rsp,%rbp
		b8 00 02 00 00  mov    $0x200,%eax
		66 f0 0f c1 07  lock xadd %ax,(%rdi)
		0f b6 d4        movzbl %ah,%edx
		0f b6 c8        movzbl %al,%ecx
		83 e2 fe        and    $-2,%edx
		0f b6 f2        movzbl %dl,%esi
		b8 03 00 00 00  mov    $3,%eax
		31 d1           xor    %edx,%ecx
		80 f9 0f        cmp    $15,%cl
		77 1c           ja     spin_lock.slow
		0f b6 07        movzbl (%rdi),%eax
		a8 01           test   $1,%al
		75 11           jne    5f
		89 c2           mov    %eax,%edx
		89 c1           mov    %eax,%ecx
		83 c9 01        or     $1,%ecx
		f0 0f b0 0f     lock cmpxchg %cl,(%rdi)
		38 d0           cmp    %dl,%al
		75 02           jne    5f
		5d              pop    %rbp
		c3              ret
		f3 90           pause
		eb e4           jmp    4b`},
}

// golden splits a listing into the bytes of each instruction.
func golden(t *testing.T, listing string) []string {
	t.Helper()
	var insns []string
	for _, line := range strings.Split(strings.TrimSpace(listing), "\n") {
		var code []string
		for _, f := range strings.Fields(line) {
			if _, err := hex.DecodeString(f); err != nil || len(f) != 2 {
				break
			}
			code = append(code, f)
		}
		require.NotEmpty(t, code, line)
		insns = append(insns, strings.Join(code, " "))
	}
	return insns
}

// sameOrder puts LOCK before the operand-size prefix. Their order means
// nothing; GNU as writes 66 f0 for a word xadd and f0 66 for a word add.
func sameOrder(code string) string {
	if rest, ok := strings.CutPrefix(code, "66 f0"); ok {
		return "f0 66" + rest
	}
	return code
}

func TestGoldenListings(t *testing.T) {
	for _, g := range goldens {
		p := mustBuild(t, g.variant, Config{TicketBits: g.bits, Defines: g.defines})
		var got []string
		var next uint64
		for i, name := range g.symbols {
			s, ok := p.Object.Lookup(name)
			require.True(t, ok, name)
			require.True(t, i == 0 || s.Addr == next, "%s follows", name)
			next = s.Addr + s.Size
			got = append(got, codeLines(p, s.Addr, next)...)
		}
		want := golden(t, g.listing)
		for i := range want {
			want[i] = sameOrder(want[i])
		}
		assert.Equal(t, want, got, "%s u%d %s", g.variant, g.bits, g.symbols)
	}
}

// codeLines returns the bytes of each statement between two addresses.
func codeLines(p *Program, from, to uint64) []string {
	text := p.Object.Sections[0]
	var code []string
	for _, l := range p.Object.Lines {
		if l.Addr < from || l.Addr >= to {
			continue
		}
		b := text.Data[l.Addr-text.Addr:][:l.Len]
		code = append(code, sameOrder(strings.TrimSpace(spaced(b))))
	}
	return code
}

func spaced(b []byte) string {
	var s strings.Builder
	for _, x := range b {
		s.WriteString(hex.EncodeToString([]byte{x}))
		s.WriteByte(' ')
	}
	return s.String()
}

// The counts that the cover letter's listings promise for the uncontended path.
func TestInstructionCounts(t *testing.T) {
	for _, c := range []struct {
		variant, symbol string
		bits            int
		want            int
	}{
		{"ticket", "spin_lock", 8, 9}, {"ticket", "spin_unlock", 8, 5}, {"ticket", "spin_lock", 16, 10},
		{"ticket-pv-off", "spin_lock", 8, 9}, {"ticket-pv-off", "spin_unlock", 8, 6},
		{"ticket-pv-kvm", "spin_unlock.pv", 8, 4}, // with push, mov, jmp before and pop, ret after: 9
	} {
		p := mustBuild(t, c.variant, Config{TicketBits: c.bits})
		s, ok := p.Object.Lookup(c.symbol)
		require.True(t, ok)
		assert.Len(t, codeLines(p, s.Addr, s.Addr+s.Size), c.want, "%s %s", c.variant, c.symbol)
	}
}
