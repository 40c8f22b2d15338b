import type { LabReport } from '../../api/types'
import { bytes, count } from '../../format'

type Row = LabReport['rows'][number]

/** Labels of figures whose names are not clear. */
const labels: Record<string, string> = {
  sharePct: 'of the namespace %',
  namespaceRecords: 'namespace',
  elapsedMs: 'elapsed ms',
  fastestMs: 'fastest ms',
  estimatedMs: 'estimated ms',
  recordsRead: 'records read',
  bytesRead: 'read',
  indexBytes: 'index bytes',
  rowsPerSecond: 'rows/s',
  tps: 'peak TPS',
  steadyTps: 'steady TPS',
  steadyThreads: 'steady threads',
  steadyWindow: 'steady window',
  steadyAttempts: 'steady attempts',
  steadySeconds: 'steady s',
  peakCpuMicrosPerOperation: 'peak µs/op',
  cpuMicrosPerOperation: 'steady µs/op',
  peakReadUnder1msPct: 'peak reads ≤ 1 ms %',
  peakWriteUnder1msPct: 'peak writes ≤ 1 ms %',
  readUnder1msPct: 'reads ≤ 1 ms %',
  writeUnder1msPct: 'writes ≤ 1 ms %',
  readStdDevMs: 'read σ ms',
  writeStdDevMs: 'write σ ms',
  databaseBytes: 'database',
  readMBps: 'read MB/s',
  writeMBps: 'write MB/s',
  queueDepth: 'queue',
  deviceLatencyMs: 'device ms',
  cpuPct: 'CPU %',
  pageBytes: 'page',
  throughput: 'phase op/s',
  operationsPerSecond: 'op/s',
  avgUs: 'avg µs',
  minUs: 'min µs',
  p95Us: 'p95 µs',
  p99Us: 'p99 µs',
  pagesReadPerOperation: 'pages read/op',
  bytesReadPerOperation: 'read/op',
  opsPerSecond: 'rate',
  per: 'of',
  ratio: 'segmented/flat',
  low: 'lower quartile',
  high: 'upper quartile',
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
  return value >= 1000 || Number.isInteger(value) ? count(value) : String(Number(value.toFixed(3)))
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
