// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

// kubelocal is the control plane, the node agent and a volume provisioner of Kubernetes in one program.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	_ "time/tzdata"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	kubeproxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

const exitUsage = 2

// component is one of the programs that kubelocal can be. Its run gets the arguments after the
// component's name and returns an exit code.
type component struct {
	name, summary string
	run           func(arguments []string) int
}

func components() []component {
	return []component{
		{"etcd", "key-value store", runEtcd},
		{"kube-apiserver", "API server", ofCommand(apiserver.NewAPIServerCommand)},
		{"kube-controller-manager", "controllers", ofCommand(controllermanager.NewControllerManagerCommand)},
		{"kube-scheduler", "scheduler", ofCommand(func() *cobra.Command { return scheduler.NewSchedulerCommand() })},
		{"kube-proxy", "Services on the node", ofCommand(kubeproxy.NewProxyCommand)},
		{"kubelet", "node agent", ofCommand(func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) })},
		{"provisioner", "volumes that are directories of the node", runProvisioner},
	}
}

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(arguments []string) int {
	if len(arguments) == 0 {
		usage(os.Stderr)
		return exitUsage
	}
	name := arguments[0]
	if name == "help" || name == "-h" || name == "--help" {
		usage(os.Stdout)
		return 0
	}
	for _, each := range components() {
		if each.name == name {
			return each.run(arguments[1:])
		}
	}
	fmt.Fprintf(os.Stderr, "kubelocal: no component is called %q\n\n", name)
	usage(os.Stderr)
	return exitUsage
}

func usage(out io.Writer) {
	fmt.Fprintln(out, "usage: kubelocal COMPONENT [FLAG...]")
	fmt.Fprintln(out, "       kubelocal COMPONENT --help")
	fmt.Fprintln(out, "\nComponents:")
	for _, each := range components() {
		fmt.Fprintf(out, "  %-24s %s\n", each.name, each.summary)
	}
}

func ofCommand(newCommand func() *cobra.Command) func([]string) int {
	return func(arguments []string) int {
		command := newCommand()
		command.SetArgs(arguments)
		return cli.Run(command)
	}
}

// runEtcd returns only after etcd has stopped without an error: etcd ends the process itself on others.
func runEtcd(arguments []string) int {
	etcdmain.Main(append([]string{"etcd"}, arguments...))
	return 0
}
