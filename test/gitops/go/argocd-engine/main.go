// Command argocd-engine syncs and compares objects as Argo CD does: with its gitops-engine, and its Lua runtime for the health of objects.
//
// It reads a request as JSON, and writes a report as JSON. KUBECONFIG names the cluster.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"time"

	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/argoproj/gitops-engine/pkg/cache"
	"github.com/argoproj/gitops-engine/pkg/diff"
	"github.com/argoproj/gitops-engine/pkg/engine"
	"github.com/argoproj/gitops-engine/pkg/health"
	"github.com/argoproj/gitops-engine/pkg/sync"
	"github.com/argoproj/gitops-engine/pkg/sync/common"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/gitops-engine/pkg/utils/tracing"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// tracking is the annotation by which Argo CD knows the objects of an Application.
const tracking = "argocd.argoproj.io/tracking-id"

type request struct {
	// Application is the value of the tracking annotation. Empty: nothing is synced or compared.
	Application string `json:"application"`
	Namespace   string `json:"namespace"`
	// Health is a script of resource.customizations.health in argocd-cm.
	Health string `json:"health"`
	// Objects are the manifests of the Application.
	Objects []*unstructured.Unstructured `json:"objects"`
	// Live are objects whose health the report has, too. They need no cluster.
	Live []*unstructured.Unstructured `json:"live"`
	// SyncSeconds is the longest time that a sync may take. 0: compare only.
	SyncSeconds     int  `json:"syncSeconds"`
	Prune           bool `json:"prune"`
	ServerSideApply bool `json:"serverSideApply"`
}

type outcome struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

type report struct {
	// Phase is that of the sync: Running if its time is over.
	Phase   string    `json:"phase"`
	Message string    `json:"message"`
	Results []outcome `json:"results"`
	// Compared has Synced, OutOfSync or Missing for each object.
	Compared []outcome `json:"compared"`
	Health   []outcome `json:"health"`
}

type customHealth struct{ script string }

// GetResourceHealth answers nil where Argo CD judges by rules of its own.
func (c customHealth) GetResourceHealth(object *unstructured.Unstructured) (*health.HealthStatus, error) {
	if object.GroupVersionKind().Group != "managed-db.io" {
		return nil, nil
	}
	return lua.VM{}.ExecuteHealthLua(object, c.script)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		log.Fatal(err)
	}
	found := report{Results: []outcome{}, Compared: []outcome{}, Health: []outcome{}}
	for _, object := range asked.Live {
		found.Health = append(found.Health, healthOf(asked, object))
	}
	if asked.Application != "" {
		withCluster(asked, &found)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		log.Fatal(err)
	}
}

func healthOf(asked request, object *unstructured.Unstructured) outcome {
	status := must(customHealth{asked.Health}.GetResourceHealth(object))
	if status == nil {
		status = &health.HealthStatus{}
	}
	return outcome{object.GetKind(), object.GetName(), string(status.Status), status.Message}
}

func withCluster(asked request, found *report) {
	config := must(clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG")))
	// As Argo CD has it by default. The default of the library makes each list of all kinds take ten seconds.
	config.QPS, config.Burst = 50, 100
	clusterCache := cache.NewClusterCache(config, cache.SetLogr(logr.Discard()),
		cache.SetPopulateResourceInfoHandler(func(object *unstructured.Unstructured, _ bool) (any, bool) {
			id := object.GetAnnotations()[tracking]
			return id, id != ""
		}))
	stop := must(engine.NewEngine(config, clusterCache, engine.WithLogr(logr.Discard())).Run())
	defer stop()
	for _, object := range asked.Objects {
		object.SetNamespace(asked.Namespace)
		annotations := object.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[tracking] = asked.Application
		object.SetAnnotations(annotations)
	}
	reconcile := func() sync.ReconciliationResult {
		live := must(clusterCache.GetManagedLiveObjs(asked.Objects, func(resource *cache.Resource) bool {
			id, _ := resource.Info.(string)
			return id == asked.Application
		}))
		return sync.Reconcile(asked.Objects, live, asked.Namespace, clusterCache)
	}
	if asked.SyncSeconds > 0 {
		syncAll(asked, found, config, clusterCache, reconcile)
		// Without a new list, the comparison could miss the last writes.
		clusterCache.Invalidate()
		if err := clusterCache.EnsureSynced(); err != nil {
			log.Fatal(err)
		}
	}
	compare(asked, found, reconcile())
}

// syncAll does as the controller of Argo CD does: a new context with fresh live objects, and the earlier results, at each step.
func syncAll(asked request, found *report, config *rest.Config, clusterCache cache.ClusterCache, reconcile func() sync.ReconciliationResult) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(asked.SyncSeconds)*time.Second)
	defer cancel()
	var results []common.ResourceSyncResult
	phase, message, started := common.OperationRunning, "", metav1.Now()
	for !phase.Completed() && ctx.Err() == nil {
		kubectl := &kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}
		step, cleanup, err := sync.NewSyncContext("revision", reconcile(), config, config, kubectl, asked.Namespace, clusterCache.GetOpenAPISchema(),
			sync.WithPrune(asked.Prune), sync.WithLogr(logr.Discard()), sync.WithInitialState(phase, message, results, started),
			sync.WithHealthOverride(customHealth{asked.Health}),
			sync.WithServerSideApply(asked.ServerSideApply), sync.WithServerSideApplyManager("argocd-controller"))
		if err != nil {
			log.Fatal(err)
		}
		step.Sync()
		phase, message, results = step.GetState()
		cleanup()
		time.Sleep(500 * time.Millisecond)
	}
	found.Phase, found.Message = string(phase), message
	for _, each := range results {
		found.Results = append(found.Results, outcome{each.ResourceKey.Kind, each.ResourceKey.Name, string(each.Status), each.Message})
	}
}

func compare(asked request, found *report, reconciled sync.ReconciliationResult) {
	diffs := must(diff.DiffArray(reconciled.Target, reconciled.Live, diff.WithLogr(logr.Discard())))
	for i, each := range diffs.Diffs {
		live, target := reconciled.Live[i], reconciled.Target[i]
		state, object, message := "Synced", live, ""
		switch {
		case live == nil:
			state, object = "Missing", target
		case target == nil:
			state = "OutOfSync"
		case each.Modified:
			state, message = "OutOfSync", string(each.NormalizedLive)+"\n"+string(each.PredictedLive)
		}
		found.Compared = append(found.Compared, outcome{object.GetKind(), object.GetName(), state, message})
		if live != nil {
			found.Health = append(found.Health, healthOf(asked, live))
		}
	}
}
