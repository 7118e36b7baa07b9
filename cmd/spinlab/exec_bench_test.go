package main

import (
	"bytes"
	"io"
	"testing"
)

// BenchmarkExec runs requests of under 300 bytes through the whole verb.
func BenchmarkExec(b *testing.B) {
	line := []byte(`{"id":7,"bytes":"f00fc1074883c001f4","regs":{"RAX":"0x1","RDI":"0x200000","RCX":"0x3"},"map":[{"addr":"0x200000","size":4096,"perm":"rw","hex":"0500000000000000"}],"cpl":3,"max":1000}` + "\n")
	const batch = 20_000
	in := bytes.Repeat(line, batch)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if err := execLines(bytes.NewReader(in), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*batch/b.Elapsed().Seconds(), "requests/s")
}
