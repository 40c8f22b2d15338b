// The diagnostics: what somebody who looks into a fault has to know. Lists of what they may have keep data and secrets out.
import type { App } from '../app-types.js'
import { shownConfig } from '../config.js'
import { familiesOf } from '../live/prometheus/families.js'
import { textOf } from '../live/prometheus/text.js'
import { inTurns } from '../live/prometheus/turns.js'
import { gatewayNotices, gatewayUse } from '../overload/use.js'
import type { Job } from '../schemas/jobs/jobs.js'
import type { SlowOperation } from '../schemas/server/slow.js'

/** The version of the format. A part or a field that goes makes another one. */
const FORMAT = 1
/** Most of each list, newest or slowest first. */
const LIST_MAX = 100
/** Bytes of metrics: with thousands of namespaces there are more. */
const METRICS_MAX = 4 * 1024 * 1024

/** One part after the other, so that no more than one is held. */
export async function* partsOf(app: App): AsyncGenerator<object> {
  const { engine } = app
  const status = await engine.status()
  const { version } = status
  yield { part: 'about', format: FORMAT, createdAt: new Date().toISOString(), version, node: process.versions.node }
  yield { part: 'settings', settings: shownConfig(app.config) }
  yield { part: 'status', ...status, gateway: gatewayUse(app), gatewayNotices: gatewayNotices(app) }
  for (const namespace of await engine.namespaces()) {
    // Losses name records.
    const { losses, ...rest } = namespace
    yield { part: 'namespace', ...rest, losses: losses.length }
  }
  for (const job of (await engine.jobs({ limit: LIST_MAX })).items) yield { part: 'job', ...jobFacts(job) }
  const { items } = await engine.slowOperations({ sort: 'slowest', limit: LIST_MAX })
  for (const operation of items) yield { part: 'slow', ...slowFacts(operation) }
  const metrics = await inTurns(textOf(await familiesOf(app, engine)))
  yield { part: 'metrics', text: metrics.toString('utf8', 0, METRICS_MAX), truncated: metrics.length > METRICS_MAX }
  for (const line of app.logTail.lines()) yield { part: 'log', line: JSON.parse(line) as unknown }
}

/** Not its parameters and its result, which may have values of records, nor the message of its error. */
const JOB_FIELDS = ['id', 'kind', 'namespace', 'set', 'who', 'state', 'done', 'total', 'unit', 'ratePerSecond'] as const
const JOB_ENDS = ['threads', 'damaged', 'createdAt', 'startedAt', 'endedAt'] as const

const jobFacts = (job: Job): object => ({
  ...only(job, [...JOB_FIELDS, ...JOB_ENDS]),
  ...(job.error !== undefined && { code: job.error.code }),
})

/** Not its key and its filter, nor its plan, which may have values of the filter. */
const SLOW_FIELDS = ['id', 'op', 'namespace', 'set', 'filterShape', 'outcome', 'code', 'records', 'startedAt'] as const
const SLOW_TIMES = ['durationMs', 'engineMs', 'split', 'threads', 'jobId'] as const

const slowFacts = (operation: SlowOperation): object => only(operation, [...SLOW_FIELDS, ...SLOW_TIMES])

const only = <T extends object>(value: T, keys: readonly (keyof T)[]): object =>
  Object.fromEntries(keys.map((key) => [key, value[key]]))
