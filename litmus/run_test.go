package litmus

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/explore"
)

func run(t testing.TB, text string) *Outcome {
	t.Helper()
	o, err := parse(t, text).Run(explore.Config{})
	require.NoError(t, err)
	return o
}

const storeBuffering = `X86 SB
Hash=2d53e83cd627ba17ab11c875525e078b
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\ 1:EAX=0)
`

func TestWritePrintsAsHerd7(t *testing.T) {
	var b strings.Builder
	require.NoError(t, run(t, storeBuffering).Write(&b, 1250*time.Millisecond))
	assert.Equal(t, `Test SB Allowed
States 4
0:EAX=0; 1:EAX=0;
0:EAX=0; 1:EAX=1;
0:EAX=1; 1:EAX=0;
0:EAX=1; 1:EAX=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:EAX=0 /\ 1:EAX=0)
Observation SB Sometimes 1 3
Time SB 1.25
Hash=2d53e83cd627ba17ab11c875525e078b

`, b.String())
}

// TestStates holds whole tests to their final states, separated by |, and the
// verdict.
func TestStates(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"values are signed unless the type says otherwise", `X86_64 v
{ uint64_t u=-1; uint8_t b=-1; int8_t c=255; int64_t 0:rcx; int64_t t[2]={1,-1}; 0:rax=t; 0:rbx=1; int64_t *p=t; }
P0 ;
movq (%rax,%rbx,8),%rcx ;
movb $7,t+8(%rip) ;
locations [u; b; c; 0:rcx; t; t[1]; p; 0:rax]
forall 0:rcx=-1 /\ t={1,-249}`,
			"0:rax=t; 0:rcx=-1; [b]=255; [c]=-1; [p]=t; t={1,-249}; [u]=18446744073709551615; t[1]=-249; Ok"},
		{"what has no type is an int, and compared as one", `X86_64 i
{}
P0 ;
movl $-1,%eax ;
movq %rax,(x) ;
forall 0:rax=-1 /\ x=-1 /\ x=0xffffffff`,
			"0:rax=-1; [x]=-1; Ok"},
		{"locked operations are atomic", `X86 a
{ 0:ESI=x; }
P0 | P1 ;
LOCK INC [ESI] | LOCK; INC [x] ;
forall x=2`,
			"[x]=2; Ok"},
		{"increments without LOCK are not", `X86_64 n
{}
P0 | P1 ;
incl (x) | incl [x] ;
~exists x=1`,
			"[x]=1; | [x]=2; No"},
		{"a loop that waits ends", `X86_64 w
{}
P0 | P1 ;
movl $1,(x) | L: cmpl $0,(f) ;
movl $1,(f) | je L ;
 | movl (x),%eax ;
forall 1:rax=1`,
			"1:rax=1; Ok"},
		{"SFENCE and LFENCE order no store before a load", `X86 f
{}
P0 | P1 ;
MOV [x],$1 | MOV [y],$1 ;
SFENCE | LFENCE ;
MOV EAX,[y] | MOV EAX,[x] ;
filter 0:EAX=0
exists 1:EAX=0`,
			"1:EAX=0; | 1:EAX=1; Ok"},
		{"a byte is forwarded, its neighbours come from memory", `X86_64 m
{ int16_t x=0; }
P0 | P1 ;
movb $1,(x) | movb $2,x+1(%rip) ;
movw (x),%ax | movw (x),%bx ;
exists 0:ax=1 /\ 1:bx=0x200`,
			"0:ax=1; 1:bx=512; | 0:ax=1; 1:bx=513; | 0:ax=513; 1:bx=512; | 0:ax=513; 1:bx=513; Ok"},
		{"XCHG with memory is locked", `X86 x
{ 0:EAX=1; 1:EAX=1; }
P0 | P1 ;
XCHG [x],EAX | XCHG EAX,[y] ;
MOV EBX,[y] | MOV EBX,[x] ;
~exists (0:EBX=0 /\ 1:EBX=0)`,
			"0:EBX=0; 1:EBX=1; | 0:EBX=1; 1:EBX=0; | 0:EBX=1; 1:EBX=1; Ok"},
		{"pointers travel", `X86_64 p
{ int *p=x; x=5; y=6; }
P0 | P1 ;
movq $y,(p) | movq (p),%rax ;
 | movl (%rax),%ebx ;
exists (1:rax=y /\ 1:rbx=6)`,
			"1:rax=x; 1:rbx=5; | 1:rax=y; 1:rbx=6; Ok"},
		{"nothing to show", "X86_64 e\n{}\nP0;\nnop;\n", " Ok"},
	} {
		o := run(t, c.text)
		assert.Empty(t, o.Note, c.name)
		var lines []string
		for _, s := range o.States {
			lines = append(lines, o.line(s))
		}
		assert.Equal(t, c.want, strings.Join(lines, " | ")+" "+o.Verdict(), c.name)
	}
}

func TestNotes(t *testing.T) {
	for code, want := range map[string]string{
		"movq (%rax),%rbx": "fault: vcpu 0 rip 0x100000 (P0, line 4)",
		"hlt":              "deadlock: ",
		"L: jmp L":         "livelock: ",
	} {
		o := run(t, "X86_64 n\n{}\nP0;\n"+code+";\nexists x=1\n")
		assert.Contains(t, o.Note, want)
		assert.False(t, o.Bounded)
		assert.Equal(t, "No", o.Verdict())
	}
	_, err := parse(t, "X86_64 n\n{}\nP0;\nrdtsc;\n").Run(explore.Config{})
	assert.ErrorContains(t, err, "(P0, line 4) 0f 31: rdtsc is refused")
	_, err = parse(t, "X86_64 n\n{}\nP0;\nmovl $1,(x),(y);\nfoo;\n").Run(explore.Config{})
	assert.EqualError(t, err, "t.litmus:4: movl: wrong number of operands (3)\nt.litmus:5: unknown mnemonic foo")
	_, err = parse(t, "X86_64 n\n{int t[16000]; int u[16000];}\nP0;\nnop;\n").Run(explore.Config{})
	assert.ErrorContains(t, err, "t.litmus:2: u: the locations need more than")
}

func TestBoundsAreNoVerdict(t *testing.T) {
	test := parse(t, strings.Replace(storeBuffering, "exists (", "~exists (0:EAX=5 /\\ ", 1))
	o, err := test.Run(explore.Config{MaxStates: 3})
	require.NoError(t, err)
	assert.True(t, o.Bounded)
	assert.Equal(t, "Bounded", o.Verdict())
	assert.Contains(t, o.Note, "bound hit")
}

func TestDifferences(t *testing.T) {
	o := run(t, storeBuffering)
	e, err := ParseExpected("States 2\n1:EAX=0; 0:EAX=0;\n0:EAX=7; 1:EAX=7;\nNo\n")
	require.NoError(t, err)
	assert.Equal(t, []string{"verdict Ok, expected No", "missing: 0:EAX=7; 1:EAX=7",
		"not expected: 0:EAX=0; 1:EAX=1", "not expected: 0:EAX=1; 1:EAX=0", "not expected: 0:EAX=1; 1:EAX=1"},
		o.Differences(e))
	for _, bad := range []string{"", "States x\nOk", "States 2\n0:EAX=1;\n", "States 1\n0:EAX=1;\n"} {
		_, err := ParseExpected(bad)
		assert.Error(t, err, bad)
	}
}
