{{- define "palimpsest.name" -}}
{{- if contains "palimpsest" .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-palimpsest" .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "palimpsest.selector" -}}
app.kubernetes.io/name: palimpsest
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "palimpsest.labels" -}}
{{ include "palimpsest.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}
