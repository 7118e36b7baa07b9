package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"spinlab/cpu"
	"spinlab/mem"
	"spinlab/vmm"
)

func execCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "exec",
		Short: "JSON lines in, JSON lines out: one snippet a line on a bare core",
		Long: `Each input line is one snippet: {"bytes":"f00fc107"} at least. It runs on a
bare core, CPL 3 unless "cpl" says 0, and one line of output tells the final
registers, flags, changed memory and how it stopped. A bad line yields
{"id":…,"error":"…"} and the engine goes on. docs/json.md has all fields.`,
		Example: `  echo '{"id":1,"bytes":"b8050000000f01c1"}' | spinlab exec
  spinlab exec < snippets.jsonl > results.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return execLines(cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	outputFlag(cmd, "json") // there is nothing else, but scripts give -o to every verb
	return cmd
}

// execJob is a batch of lines on its way through a worker.
type execJob struct {
	lines [][]byte
	out   chan []byte
}

const (
	// maxExecLine bounds one request, in bytes.
	maxExecLine = 64 << 20
	// execBatch is the most lines of a batch: handing over costs as much as
	// running one request. A batch ends before that when no more input waits,
	// so that a caller who sends one line gets its answer.
	execBatch = 64
)

// execLines answers every line of in, in order. Lines are independent, so they
// run on all processors; an answer is written as soon as it is its turn.
func execLines(in io.Reader, out io.Writer) error {
	// Requests are small and so is the heap: collecting it at every doubling
	// would cost more than running them.
	defer debug.SetGCPercent(debug.SetGCPercent(execGCPercent))
	jobs := make(chan execJob, 64)
	queue := make(chan execJob, 64)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			engine := vmm.NewBare()
			for j := range jobs {
				var b []byte
				for _, line := range j.lines {
					b = append(b, answer(engine, line)...)
				}
				j.out <- b
			}
		})
	}
	done := make(chan error)
	go func() { done <- writeAnswers(queue, out) }()
	failed := readBatches(in, func(lines [][]byte) {
		j := execJob{lines, make(chan []byte, 1)}
		jobs <- j
		queue <- j
	})
	close(jobs)
	close(queue)
	workers.Wait()
	if err := <-done; err != nil {
		return err
	}
	return failed
}

// readBatches hands over the lines of in that are not blank, as many at a time
// as wait to be read.
func readBatches(in io.Reader, hand func(lines [][]byte)) error {
	r := bufio.NewReaderSize(in, 1<<16)
	var batch [][]byte
	flush := func() {
		if len(batch) > 0 {
			hand(batch)
			batch = nil
		}
	}
	defer flush()
	for n := 1; ; n++ {
		line, err := readLine(r)
		if err == errLongLine {
			return fmt.Errorf("line %d is longer than %d bytes", n, maxExecLine)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			batch = append(batch, line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(batch) == execBatch || r.Buffered() == 0 {
			flush()
		}
	}
}

var errLongLine = errors.New("line too long")

// readLine returns a copy of the next line; its length is bounded.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxExecLine {
			return nil, errLongLine
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// execGCPercent lets the heap of the exec verb grow to some 40 MB between
// collections.
const execGCPercent = 1000

// writeAnswers writes answers in the order of their lines and flushes whenever
// none is ready.
func writeAnswers(queue <-chan execJob, out io.Writer) error {
	w := bufio.NewWriterSize(out, 1<<16)
	var failed error
	for j := range queue {
		if _, err := w.Write(<-j.out); err != nil {
			failed = err
		}
		if len(queue) == 0 {
			if err := w.Flush(); err != nil {
				failed = err
			}
		}
	}
	if err := w.Flush(); err != nil {
		failed = err
	}
	return failed
}

// answer runs one line and returns its output line.
func answer(engine *vmm.Bare, line []byte) []byte {
	var q execRequest
	if err := json.Unmarshal(line, &q); err != nil {
		var id struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(line, &id) // an id is a courtesy here
		return execError(id.ID, err)
	}
	s, err := q.snippet()
	if err != nil {
		return execError(q.ID, err)
	}
	stop, why, err := engine.Run(s)
	if err != nil {
		return execError(q.ID, err)
	}
	return execResult(engine, &q, stop, why)
}

func idOr(id json.RawMessage) []byte {
	if len(id) == 0 {
		return []byte("null")
	}
	return id
}

func execError(id json.RawMessage, err error) []byte {
	msg, _ := json.Marshal(err.Error()) // strings always marshal
	return append(fmt.Appendf(nil, `{"id":%s,"error":%s`, idOr(id), msg), "}\n"...)
}

// execResult is the output line of a finished run. It is put together by hand:
// the verb's speed is that of its JSON.
func execResult(engine *vmm.Bare, q *execRequest, stop vmm.BareStop, why string) []byte {
	c := engine.Core
	b := make([]byte, 0, 768)
	b = append(b, `{"id":`...)
	b = append(b, idOr(q.ID)...)
	b = append(b, `,"stop":"`...)
	b = append(b, stop...)
	b = append(b, `","regs":{`...)
	for i, name := range cpu.RegNames {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), name...), `":`...)
		b = appendHex(b, c.R[i])
	}
	b = append(b, `},"rip":`...)
	b = appendHex(b, c.RIP)
	b = append(b, `,"rflags":`...)
	b = appendHex(b, c.RFlags())
	b = append(b, `,"mem":`...)
	b = appendRuns(b, engine.Changes())
	if q.XMM != nil {
		b = append(b, `,"xmm":`...)
		b = appendXMM(b, &c.XMM)
	}
	b = append(b, `,"instructions":`...)
	b = strconv.AppendUint(b, c.Count.Instructions, 10)
	b = append(b, `,"locked":`...)
	b = strconv.AppendUint(b, c.Count.Locked, 10)
	b = append(b, `,"fault":`...)
	b = appendFault(b, stop, &c.Fault)
	if why != "" {
		b = append(b, `,"why":`...)
		b = strconv.AppendQuote(b, why)
	}
	return append(b, "}\n"...)
}

func appendHex(b []byte, v uint64) []byte {
	b = append(b, `"0x`...)
	b = strconv.AppendUint(b, v, 16)
	return append(b, '"')
}

const hexDigits = "0123456789abcdef"

func appendRuns(b []byte, runs []mem.Run) []byte {
	b = append(b, '[')
	for i, r := range runs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"addr":`...)
		b = appendHex(b, r.Addr)
		b = append(b, `,"hex":"`...)
		for _, x := range r.Bytes {
			b = append(b, hexDigits[x>>4], hexDigits[x&15])
		}
		b = append(b, `"}`...)
	}
	return append(b, ']')
}

func appendXMM(b []byte, xmm *[16][2]uint64) []byte {
	b = append(b, '[')
	for i := range xmm {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		for k := range 16 {
			x := byte(xmm[i][k/8] >> (k % 8 * 8))
			b = append(b, hexDigits[x>>4], hexDigits[x&15])
		}
		b = append(b, '"')
	}
	return append(b, ']')
}

func appendFault(b []byte, stop vmm.BareStop, f *cpu.Fault) []byte {
	if stop != vmm.BareFault {
		return append(b, "null"...)
	}
	b = append(b, `{"vector":`...)
	b = strconv.AppendUint(b, uint64(f.Vector), 10)
	b = append(append(append(b, `,"name":"`...), cpu.VectorName(f.Vector)...), `","error":`...)
	b = strconv.AppendUint(b, uint64(f.Error), 10)
	b = append(b, `,"cr2":`...)
	b = appendHex(b, f.CR2)
	return append(b, '}')
}
