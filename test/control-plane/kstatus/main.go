// Command kstatus reads a list of objects as JSON and writes a JSON array with the status that Helm and Flux compute for each of them.
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	var list unstructured.UnstructuredList
	if err := list.UnmarshalJSON(text); err != nil {
		log.Fatal(err)
	}
	computed := make([]string, 0, len(list.Items))
	for _, object := range list.Items {
		result, err := status.Compute(&object)
		if err != nil {
			log.Fatal(err)
		}
		computed = append(computed, result.Status.String())
	}
	if err := json.NewEncoder(os.Stdout).Encode(computed); err != nil {
		log.Fatal(err)
	}
}
