// Command spinlab runs real x86-64 spinlock machine code on a simulated
// multi-core machine under a small hypervisor.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "spinlab", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(execCmd())
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "spinlab:", err)
		os.Exit(2)
	}
}
