// Traces of requests, if the settings name a collector. Otherwise nothing of OpenTelemetry is loaded, and no hook is added.
import type { App } from '../app-types.js'
import type { Engine } from '../engines/engine.js'
import type { RequestTrace } from './request-trace.js'

/** What is not sent by then when the server stops is lost. */
const FLUSH_MS = 2000
/** Jobs whose ends are waited for. Those beyond have no span. */
const JOBS_MAX = 64
const WAIT_MS = 60_000

/** Call it before routes are declared. */
export async function keepTraces(app: App, engine: Engine): Promise<void> {
  const { tracesEndpoint: endpoint, tracesSample: sample } = app.config
  app.decorateRequest('trace', undefined)
  if (endpoint === undefined) return
  const [{ ROOT_CONTEXT, SpanKind, defaultTextMapGetter }, { W3CTraceContextPropagator }, { providerFor }, traces] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/core'),
      import('./exporter.js'),
      import('./request-trace.js'),
    ])
  const { version } = await engine.status()
  const report = (failure: Error | undefined): void => {
    if (failure === undefined) app.log.info('the collector takes spans again')
    else app.log.warn({ err: failure }, 'the collector takes no spans, so they are dropped')
  }
  const provider = providerFor({ endpoint, sample, version, report })
  const tracer = provider.getTracer('tessera', version)
  const propagator = new W3CTraceContextPropagator()
  let followed = 0

  app.addHook('onRequest', (request, _reply, done) => {
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
    const attributes = { 'http.request.method': request.method, 'url.scheme': request.protocol }
    const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent)
    // One that is not sampled costs no more than this.
    if (span.isRecording()) request.trace = new traces.RequestTrace(tracer, span, request)
    done()
  })

  app.addHook('onResponse', (request, reply, done) => {
    const { trace, jobId } = request
    trace?.end(reply)
    if (trace !== undefined && jobId !== undefined && followed < JOBS_MAX) {
      followed += 1
      void follow(engine, trace, jobId).finally(() => (followed -= 1))
    }
    done()
  })

  app.addHook('onClose', async () => {
    await provider.forceFlush({ timeoutMillis: FLUSH_MS }).catch(() => undefined)
    // It would wait for a collector that is away.
    void provider.shutdown().catch(() => undefined)
  })
}

/** Waits for the end of a job. It has gone if its namespace has, or the server stops. */
async function follow(engine: Engine, trace: RequestTrace, id: string): Promise<void> {
  try {
    let job = await engine.waitJob(id, WAIT_MS)
    while (job.endedAt === undefined) job = await engine.waitJob(id, WAIT_MS)
    trace.job(job)
  } catch {
    // The request has its span all the same, with the id of the job.
  }
}
