// Renders the templates of a chart as Helm does, with the libraries that Helm uses: text/template and sprig. It is no Helm: it knows what
// our chart needs, and fails on anything else. Arguments: the folder of the chart, and a JSON object that is merged over its values.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func main() {
	folder := os.Args[1]
	values := readYaml(filepath.Join(folder, "values.yaml"))
	var given map[string]interface{}
	must(json.Unmarshal([]byte(os.Args[2]), &given))
	merge(values, given)
	about := readYaml(filepath.Join(folder, "Chart.yaml"))
	chart := map[string]interface{}{"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]}
	release := map[string]interface{}{"Name": "test", "Service": "Helm", "Namespace": "default"}
	context := map[string]interface{}{"Values": values, "Chart": chart, "Release": release, "Files": files{folder}}

	root := template.New("chart").Option("missingkey=error")
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = toYaml
	functions["include"] = func(name string, data interface{}) (string, error) {
		var written bytes.Buffer
		err := root.ExecuteTemplate(&written, name, data)
		return written.String(), err
	}
	root.Funcs(functions)
	paths, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	must(err)
	for _, path := range paths {
		_, err := root.New(filepath.Base(path)).Parse(read(path))
		must(err)
	}
	for _, path := range paths {
		if filepath.Ext(path) != ".yaml" && filepath.Ext(path) != ".txt" {
			continue
		}
		var written bytes.Buffer
		must(root.ExecuteTemplate(&written, filepath.Base(path), context))
		if filepath.Ext(path) == ".yaml" {
			fmt.Printf("---\n%s\n", written.String())
		}
	}
}

type files struct{ folder string }

func (f files) Get(name string) string { return read(filepath.Join(f.folder, name)) }

func toYaml(value interface{}) string {
	written, err := yaml.Marshal(value)
	must(err)
	return strings.TrimSuffix(string(written), "\n")
}

func merge(into, from map[string]interface{}) {
	for name, value := range from {
		nested, isNested := value.(map[string]interface{})
		existing, isThere := into[name].(map[string]interface{})
		if isNested && isThere {
			merge(existing, nested)
			continue
		}
		into[name] = value
	}
}

func readYaml(path string) map[string]interface{} {
	var parsed map[string]interface{}
	must(yaml.Unmarshal([]byte(read(path)), &parsed))
	return parsed
}

func read(path string) string {
	text, err := os.ReadFile(path)
	must(err)
	return string(text)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
