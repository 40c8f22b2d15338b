// Spans go to a collector of OpenTelemetry. What it does not take is dropped, and nobody waits for it.
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, defaultResource, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'

/** Spans that wait for the collector. A span has about 1 KiB, and beyond this number new ones are dropped. */
const WAITING_MAX = 2048
const BATCH_MAX = 512
/** At the end all that wait are sent at once, beside the batch that is on its way. */
const BATCHES_AT_ONCE = WAITING_MAX / BATCH_MAX + 1
const DELAY_MS = 1000
const TIMEOUT_MS = 10_000

export interface ExportOptions {
  /** The collector, without the path of OTLP. */
  endpoint: string
  /** Share of the requests that are traced, if their callers have not decided: 0 to 1. */
  sample: number
  version: string
  /** Hears when the collector begins to take nothing, and with undefined when it takes spans again. */
  report: (failure: Error | undefined) => void
}

/** Headers, certificates and compression are those of the variables `OTEL_EXPORTER_OTLP_…`. */
export function providerFor({ endpoint, sample, version, report }: ExportOptions): BasicTracerProvider {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = new ReportingExporter(
    new OTLPTraceExporter({ url, timeoutMillis: TIMEOUT_MS, concurrencyLimit: BATCHES_AT_ONCE }),
    report,
  )
  return new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'tessera', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sample) }),
    spanLimits: { attributeValueLengthLimit: 256, attributeCountLimit: 32 },
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        maxQueueSize: WAITING_MAX,
        maxExportBatchSize: BATCH_MAX,
        scheduledDelayMillis: DELAY_MS,
        exportTimeoutMillis: TIMEOUT_MS,
      }),
    ],
  })
}

/** Says once that a collector is away, not with each batch. */
class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter
  readonly #report: ExportOptions['report']
  #away = false

  constructor(exporter: SpanExporter, report: ExportOptions['report']) {
    this.#exporter = exporter
    this.#report = report
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      const away = result.code !== ExportResultCode.SUCCESS
      if (away !== this.#away) this.#report(away ? (result.error ?? new Error('no answer')) : undefined)
      this.#away = away
      done(result)
    })
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.()
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown()
  }
}
