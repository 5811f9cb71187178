// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v11/controller"
)

// provisionerName is what a StorageClass names as its provisioner.
const provisionerName = "local.example/dir"

// volumeMode lets any user of any pod write: container images here run as users of their own, and
// the kubelet does not change the owner of a hostPath volume.
const volumeMode = 0o777

type provisionerOptions struct {
	kubeconfig, root, node string
}

func runProvisioner(arguments []string) int {
	options, err := parseProvisionerOptions(arguments)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "provisioner: %v\n", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := provision(ctx, options); err != nil {
		fmt.Fprintf(os.Stderr, "provisioner: %v\n", err)
		return 1
	}
	return 0
}

func parseProvisionerOptions(arguments []string) (provisionerOptions, error) {
	var options provisionerOptions
	flags := flag.NewFlagSet("provisioner", flag.ContinueOnError)
	flags.StringVar(&options.kubeconfig, "kubeconfig", "", "`file` with the address of the API server and credentials")
	flags.StringVar(&options.root, "root", "", "absolute `directory` under which a volume is a directory")
	flags.StringVar(&options.node, "node", "", "`name` of the node that has the directory")
	if err := flags.Parse(arguments); err != nil {
		return options, err
	}
	switch {
	case flags.NArg() > 0:
		return options, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case options.kubeconfig == "" || options.node == "":
		return options, errors.New("--kubeconfig and --node are needed")
	case !filepath.IsAbs(options.root):
		return options, errors.New("--root must be an absolute path")
	}
	options.root = filepath.Clean(options.root)
	return options, nil
}

func provision(ctx context.Context, options provisionerOptions) error {
	config, err := clientcmd.BuildConfigFromFlags("", options.kubeconfig)
	if err != nil {
		return fmt.Errorf("reading the kubeconfig: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	ctx = klog.NewContext(ctx, klog.Background())
	directories := &directoryProvisioner{root: options.root, node: options.node}
	// One instance alone runs, hence no leader election.
	controller.NewProvisionController(ctx, client, provisionerName, directories, controller.LeaderElection(false)).Run(ctx)
	return nil
}

// directoryProvisioner makes each volume a directory of one node.
type directoryProvisioner struct {
	root, node string
}

// Provision implements controller.Provisioner. A selected node needs no look: there is one node, and
// with immediate binding none is selected.
func (p *directoryProvisioner) Provision(
	_ context.Context, options controller.ProvisionOptions,
) (*v1.PersistentVolume, controller.ProvisioningState, error) {
	// A plain error becomes an event on the claim, which an IgnoredError does not.
	if err := checkAccessModes(options.PVC.Spec.AccessModes); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	directory := filepath.Join(p.root, options.PVName)
	if err := makeVolumeDirectory(directory); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	return p.volume(options, directory), controller.ProvisioningFinished, nil
}

// Delete implements controller.Provisioner.
func (p *directoryProvisioner) Delete(_ context.Context, volume *v1.PersistentVolume) error {
	if volume.Spec.HostPath == nil {
		return fmt.Errorf("volume %s is not a directory of the node", volume.Name)
	}
	directory := filepath.Clean(volume.Spec.HostPath.Path)
	if filepath.Dir(directory) != p.root {
		return fmt.Errorf("volume %s is at %s, not directly under %s", volume.Name, directory, p.root)
	}
	return os.RemoveAll(directory)
}

func checkAccessModes(modes []v1.PersistentVolumeAccessMode) error {
	var refused []string
	for _, mode := range modes {
		if mode != v1.ReadWriteOnce {
			refused = append(refused, string(mode))
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return fmt.Errorf("access mode %s is not supported: the volumes are directories of one node, and ReadWriteOnce is the only mode they have",
		strings.Join(refused, ", "))
}

func makeVolumeDirectory(directory string) error {
	if err := os.MkdirAll(directory, volumeMode); err != nil {
		return err
	}
	// Again, as the umask has taken bits away.
	return os.Chmod(directory, volumeMode)
}

func (p *directoryProvisioner) volume(options controller.ProvisionOptions, directory string) *v1.PersistentVolume {
	policy := v1.PersistentVolumeReclaimDelete
	if options.StorageClass.ReclaimPolicy != nil {
		policy = *options.StorageClass.ReclaimPolicy
	}
	hostPathType := v1.HostPathDirectory
	onThisNode := v1.NodeSelectorRequirement{
		Key: v1.LabelHostname, Operator: v1.NodeSelectorOpIn, Values: []string{p.node},
	}
	return &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: options.PVName},
		Spec: v1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: policy,
			AccessModes:                   options.PVC.Spec.AccessModes,
			MountOptions:                  options.StorageClass.MountOptions,
			Capacity: v1.ResourceList{
				v1.ResourceStorage: options.PVC.Spec.Resources.Requests[v1.ResourceStorage],
			},
			PersistentVolumeSource: v1.PersistentVolumeSource{
				HostPath: &v1.HostPathVolumeSource{Path: directory, Type: &hostPathType},
			},
			NodeAffinity: &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{
				{MatchExpressions: []v1.NodeSelectorRequirement{onThisNode}},
			}}},
		},
	}
}
