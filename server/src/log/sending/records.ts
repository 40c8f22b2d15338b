// What a line of the log, or an entry of the audit log, is for a collector of OpenTelemetry.
import type { HrTime } from '@opentelemetry/api'
import type { AnyValueMap } from '@opentelemetry/api-logs'
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'

/** Who sends it: the same objects for all records, because the exporter groups by them. */
export type Origin = Pick<ReadableLogRecord, 'resource' | 'instrumentationScope'>

/** Severities of OpenTelemetry by the levels of pino. */
const SEVERITIES: Readonly<Record<number, readonly [number, string]>> = {
  10: [1, 'TRACE'],
  20: [5, 'DEBUG'],
  30: [9, 'INFO'],
  40: [13, 'WARN'],
  50: [17, 'ERROR'],
  60: [21, 'FATAL'],
}
const INFO: readonly [number, string] = [9, 'INFO']

/** A line as the log has it. What the log leaves out or hides is not there either. */
export function recordOfLine(line: string, origin: Origin): ReadableLogRecord | undefined {
  const entry = objectIn(line)
  if (entry === undefined) return undefined
  const { level, time, msg, pid: _, hostname: _host, ...rest } = entry
  const [severityNumber, severityText] = SEVERITIES[Number(level)] ?? INFO
  return {
    ...origin,
    ...at(Number(time)),
    severityNumber,
    severityText,
    body: typeof msg === 'string' ? msg : '',
    attributes: { 'tessera.log': 'log', ...rest },
    droppedAttributesCount: 0,
  }
}

/** The whole entry is the body, as the file has it, so that its hash can be checked there. */
export function recordOfEntry(text: string, origin: Origin): ReadableLogRecord | undefined {
  const entry = objectIn(text)
  if (entry === undefined) return undefined
  const [severityNumber, severityText] = INFO
  const told = ['seq', 'hash', 'kind', 'operation', 'who', 'outcome'].flatMap((name) => {
    const value = entry[name]
    return value === undefined ? [] : [[`tessera.audit.${name}`, value] as const]
  })
  return {
    ...origin,
    ...at(Date.parse(String(entry['at']))),
    severityNumber,
    severityText,
    eventName: 'tessera.audit',
    body: text,
    attributes: { 'tessera.log': 'audit', ...Object.fromEntries(told) },
    droppedAttributesCount: 0,
  }
}

function objectIn(text: string): AnyValueMap | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as AnyValueMap) : undefined
  } catch {
    return undefined
  }
}

function at(ms: number): Pick<ReadableLogRecord, 'hrTime' | 'hrTimeObserved'> {
  const time: HrTime = Number.isFinite(ms) ? [Math.trunc(ms / 1000), (ms % 1000) * 1e6] : [0, 0]
  return { hrTime: time, hrTimeObserved: time }
}
