package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"spinlab/explore"
)

// randomJSON tells of random schedules in the JSON of check.
type randomJSON struct {
	Runs        uint64  `json:"runs"`
	Seed        uint64  `json:"seed"`
	Depth       int     `json:"depth"`
	Steps       uint64  `json:"steps"`
	Probability float64 `json:"probability"`
	Cut         uint64  `json:"cut"`
}

func newRandomJSON(s *explore.Sampling) *randomJSON {
	if s == nil {
		return nil
	}
	return &randomJSON{s.Runs, s.Seed, s.Depth, s.Steps, s.Probability, s.Cut}
}

// maxSchedules is ours: years.
const maxSchedules = 1 << 40

// checkRandom refuses flags that mean nothing together.
func (f *checkFlags) checkRandom(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("random") {
		for _, name := range []string{"seed", "depth"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s means nothing without --random", name)
			}
		}
		return nil
	}
	for _, name := range []string{"max-states", "max-memory"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s means nothing with --random: no states are kept", name)
		}
	}
	if f.random < 1 || f.random > maxSchedules {
		return fmt.Errorf("--random %d: 1 to %d schedules", f.random, uint64(maxSchedules))
	}
	if f.depth < 1 {
		return fmt.Errorf("--depth %d: 1 or more orderings of steps", f.depth)
	}
	return nil
}

// look searches t, or runs random schedules of it.
func (f *checkFlags) look(t *checkTarget, cfg explore.Config) (*explore.Result, error) {
	if f.random == 0 {
		return explore.Explore(&t.Target, cfg)
	}
	return explore.Random(&t.Target, cfg, explore.Schedules{Runs: f.random, Seed: f.seed, Depth: f.depth})
}

// printAmount tells how much was looked at.
func printAmount(w io.Writer, r *explore.Result, took time.Duration) {
	if s := r.Random; s != nil {
		fmt.Fprintf(w, " — %s random schedules, %s steps, %.2f s", grouped(s.Runs), grouped(r.Transitions), took.Seconds())
		return
	}
	fmt.Fprintf(w, " — %s states, %s transitions, %.2f s, %s", grouped(r.States), grouped(r.Transitions), took.Seconds(), memory(r))
}
