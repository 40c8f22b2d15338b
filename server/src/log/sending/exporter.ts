// Log records go to a collector of OpenTelemetry, as JSON over HTTP. Only a server that sends them loads this.
import { ExportResultCode } from '@opentelemetry/core'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { recordOfEntry, recordOfLine } from './records.js'
import { type Batch, Refused, type Send } from './sender.js'

const TIMEOUT_MS = 10_000
/** Answers that another try may not get. Others of 400 to 499 are about the batch itself. */
const AGAIN: ReadonlySet<number> = new Set([401, 403, 404, 407, 408, 429])

/** Headers, certificates and compression are those of the variables `OTEL_EXPORTER_OTLP_…`. */
export function collectorAt(endpoint: string, version: string): Send {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/logs`
  const exporter = new OTLPLogExporter({ url, timeoutMillis: TIMEOUT_MS, concurrencyLimit: 1 })
  const origin = {
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'tessera', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    instrumentationScope: { name: 'tessera', version },
  }
  return (batch: Batch) => {
    const records = batch.flatMap(({ kind, text }) => {
      const record = kind === 'audit' ? recordOfEntry(text, origin) : recordOfLine(text, origin)
      return record === undefined ? [] : [record]
    })
    return new Promise((resolve, reject) => {
      exporter.export(records, ({ code, error }) => {
        if (code === ExportResultCode.SUCCESS) return resolve()
        const status = (error as { code?: unknown } | undefined)?.code
        const isRefused = typeof status === 'number' && status >= 400 && status < 500 && !AGAIN.has(status)
        reject(isRefused ? new Refused(`the collector answers ${status}`) : (error ?? new Error('no answer')))
      })
    })
  }
}
