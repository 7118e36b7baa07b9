package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// Progress appears when something takes longer than this, and then as often.
const progressEvery = 2 * time.Second

// progress shows on a terminal that work goes on, until stop is called. It
// prints nothing where nobody looks.
func progress(stderr io.Writer, what string) (stop func()) {
	if !isTerminal(stderr) {
		return func() {}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		shown := false
		for n := 1; ; n++ {
			select {
			case <-tick.C:
				fmt.Fprintf(stderr, "\r%s, %d s", what, n*int(progressEvery/time.Second))
				shown = true
			case <-quit:
				if shown {
					fmt.Fprint(stderr, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
