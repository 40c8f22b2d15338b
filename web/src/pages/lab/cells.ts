import type { LabReport } from '../../api/types'
import { atMost, bytes, count } from '../../format'
import { t } from '../../language/text'

type Row = LabReport['rows'][number]

/** Labels of figures whose names are not clear. */
const labels: Record<string, string> = {
  sharePct: t('of the namespace %'),
  namespaceRecords: 'namespace',
  elapsedMs: t('elapsed ms'),
  fastestMs: t('fastest ms'),
  estimatedMs: t('estimated ms'),
  recordsRead: t('records read'),
  bytesRead: 'read',
  indexBytes: t('index bytes'),
  rowsPerSecond: 'rows/s',
  tps: t('peak TPS'),
  steadyTps: t('steady TPS'),
  steadyThreads: t('steady threads'),
  steadyWindow: t('steady window'),
  steadyAttempts: t('steady attempts'),
  steadySeconds: t('steady s'),
  peakCpuMicrosPerOperation: 'peak µs/op',
  cpuMicrosPerOperation: 'steady µs/op',
  peakReadUnder1msPct: t('peak reads ≤ 1 ms %'),
  peakWriteUnder1msPct: t('peak writes ≤ 1 ms %'),
  readUnder1msPct: 'reads ≤ 1 ms %',
  writeUnder1msPct: 'writes ≤ 1 ms %',
  readStdDevMs: 'read σ ms',
  writeStdDevMs: 'write σ ms',
  databaseBytes: 'database',
  readMBps: t('read MB/s'),
  writeMBps: t('write MB/s'),
  queueDepth: 'queue',
  deviceLatencyMs: t('device ms'),
  cpuPct: 'CPU %',
  pageBytes: 'page',
  throughput: t('phase op/s'),
  operationsPerSecond: 'op/s',
  avgUs: 'avg µs',
  minUs: 'min µs',
  p95Us: 'p95 µs',
  p99Us: 'p99 µs',
  pagesReadPerOperation: t('pages read/op'),
  bytesReadPerOperation: 'read/op',
  opsPerSecond: 'rate',
  per: 'of',
  ratio: 'segmented/flat',
  low: t('lower quartile'),
  high: t('upper quartile'),
}

export function columnsOf(rows: readonly Row[]): { key: string; label: string }[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return keys.map((key) => ({ key, label: labels[key] ?? key }))
}

export function cellText(key: string, value: string | number | undefined): string {
  if (value === undefined) return '–'
  if (typeof value === 'string') return value
  if (key.endsWith('Bytes') || key.startsWith('bytes')) return bytes(value)
  if (Math.abs(value) < 1) return String(Number(value.toPrecision(3)))
  return value >= 1000 || Number.isInteger(value) ? count(value) : atMost(value, 3)
}

/** RFC 4180; the first line has the names. */
export function csvOf(rows: readonly Row[]): string {
  const keys = columnsOf(rows).map(({ key }) => key)
  const field = (value: string | number | undefined): string => {
    const text = value === undefined ? '' : String(value)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return [keys, ...rows.map((row) => keys.map((key) => row[key]))].map((line) => line.map(field).join(',')).join('\r\n')
}
