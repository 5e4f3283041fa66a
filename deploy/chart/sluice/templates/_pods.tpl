{{- define "sluice.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 48 | trimSuffix "-" }}
{{- end }}

{{/* Short enough for the ordinal of a pod and the suffix of a job. */}}
{{- define "sluice.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 48 | trimSuffix "-" }}
{{- else if contains (include "sluice.name" .) .Release.Name }}
{{- .Release.Name | trunc 48 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "sluice.name" .) | trunc 48 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "sluice.selectorLabels" -}}
app.kubernetes.io/name: {{ include "sluice.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: service
{{- end }}

{{- define "sluice.commonLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selectorLabels" . }}
{{ include "sluice.commonLabels" . }}
{{- end }}

{{- define "sluice.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "sluice.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "sluice.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "sluice.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: {{ int64 .Values.runAsUser }}
runAsGroup: {{ int64 .Values.runAsUser }}
fsGroup: {{ int64 .Values.runAsUser }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "sluice.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
privileged: false
capabilities:
  drop: [ALL]
{{- end }}

{{/* What a schema can't say about two values. */}}
{{- define "sluice.check" -}}
{{- if ge (int .Values.drain.noticeSeconds) (int .Values.drain.timeoutSeconds) }}
{{- fail "drain.noticeSeconds must be less than drain.timeoutSeconds: calls need the rest of that time to end" }}
{{- end }}
{{- if gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas) }}
{{- fail "autoscaling.minReplicas must be at most autoscaling.maxReplicas" }}
{{- end }}
{{- end }}

{{/* A variable from a key of the Secret. */}}
{{- define "sluice.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end }}

{{/*
The settings of every container. The first five are what `sluice start` sets for the processes that it starts, and the
runtime reads only from the environment; `settings` comes last, so that it can change them.
*/}}
{{- define "sluice.env" -}}
{{- $given := .Values.settings }}
{{- range $name, $value := dict "BUN_CONFIG_MAX_HTTP_REQUESTS" "8192" "BUN_JSC_forceRAMSize" "4294967296" "BUN_JSC_minEdenToOldGenerationRatio" "0.4" "MIMALLOC_PURGE_DELAY" "1000" "MIMALLOC_PURGE_HOLES_MIN_INTERVAL" "10000" }}
{{- if not (hasKey $given $name) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
- name: NODE_ENV
  value: production
- name: HOST
  value: 0.0.0.0
- name: PORT
  value: "3000"
- name: DATA_DIR
  value: /data
- name: PUBLIC_BASE_URL
  value: {{ .Values.publicBaseUrl | quote }}
- name: DRAIN_NOTICE_MS
  value: {{ mul .Values.drain.noticeSeconds 1000 | quote }}
- name: DRAIN_TIMEOUT_MS
  value: {{ mul .Values.drain.timeoutSeconds 1000 | quote }}
{{- with .Values.edge.clientIpHeader }}
- name: CLIENT_IP_HEADER
  value: {{ . | quote }}
{{- end }}
{{- with .Values.edge.addresses }}
- name: EDGE_ADDRESSES
  value: {{ join "," . | quote }}
{{- end }}
{{- range $name, $value := $given }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
- name: MASTER_KEY_FILE
  value: /run/secrets/sluice/master-key
{{- if .Values.secrets.keys.masterKeyPrevious }}
- name: MASTER_KEY_PREVIOUS_FILE
  value: /run/secrets/sluice/master-key-previous
{{- end }}
{{ include "sluice.secretVariable" (dict "name" "DATABASE_URL" "secret" .Values.secrets.name "key" .Values.secrets.keys.databaseUrl) }}
{{- with .Values.secrets.keys.metricsToken }}
{{ include "sluice.secretVariable" (dict "name" "METRICS_TOKEN" "secret" $.Values.secrets.name "key" .) }}
{{- end }}
{{- range $name, $from := .Values.secretSettings }}
{{ include "sluice.secretVariable" (dict "name" $name "secret" $from.secret "key" $from.key) }}
{{- end }}
{{- end }}

{{/* The keys as files: a variable would be seen by every process, and stay in its environment. */}}
{{- define "sluice.keysVolume" -}}
- name: keys
  secret:
    secretName: {{ .Values.secrets.name }}
    defaultMode: 0440
    items:
      - key: {{ .Values.secrets.keys.masterKey }}
        path: master-key
      {{- with .Values.secrets.keys.masterKeyPrevious }}
      - key: {{ . }}
        path: master-key-previous
      {{- end }}
{{- end }}

{{- define "sluice.keysMount" -}}
- name: keys
  mountPath: /run/secrets/sluice
  readOnly: true
{{- end }}
