// Clients that read much at once: scans, exports, and live events.
import type { IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import type { Random } from '../gateway/random.ts'
import { REFUSALS, SET, type Space } from './clients.ts'
import { areBinsOf, type Version } from './model.ts'
import type { Report } from './report.ts'
import type { Running, Server } from './server.ts'

interface Row {
  key?: string
  bins?: Record<string, unknown>
  error?: { code: string }
  /** Of a refusal. */
  code?: string
  summary?: unknown
}

/** Reads a whole set again and again, as a scan or as an export, and compares it with what it may hold. */
export async function readWhole(
  server: Server,
  random: Random,
  report: Report,
  spaces: readonly Space[],
  isOver: () => boolean,
): Promise<void> {
  for (;;) {
    const running = await server.ready(isOver)
    if (running === undefined) return
    const space = random.of(spaces)
    await compareWhole(running, space, random.below(3) === 0 ? 'export' : 'scan', report)
    await setTimeout(300)
  }
}

/** Whether the set was read to its end. */
export async function compareWhole(
  running: Running,
  space: Space,
  how: 'scan' | 'export',
  report: Report,
): Promise<boolean> {
  // What was known at the beginning: a row may be newer, and never older.
  const before = new Map(Array.from(space.model.entries, ([key, { known }]) => [key, known] as const))
  const rows = new Map<string, Record<string, unknown>>()
  const twice: string[] = []
  try {
    const answer = await open(running, space.name, how)
    // A reader that has stopped hears of the end of its connection, too.
    const lines = createInterface({ input: answer }).on('error', () => undefined)
    for await (const line of lines) {
      const { key, bins, error, code } = JSON.parse(line) as Row
      // Nothing was written to the set yet, in the memory of a new process.
      if (code === 'set_not_found') break
      if (code !== undefined) {
        report.count(`${how}s refused: ${code}`)
        if (!REFUSALS.has(code)) report.fault(`a ${how} was refused: ${line}`)
        return false
      }
      if (error !== undefined) {
        report.count(`${how}s ended: ${error.code}`)
        return false
      }
      if (key === undefined || bins === undefined) continue
      if (rows.has(key)) twice.push(key)
      rows.set(key, bins)
    }
    if (!answer.complete) return false
  } catch {
    return false // the process has ended
  }
  if (!running.isAlive && !space.lasts) return false
  for (const [key, bins] of rows) checkRow(space, key, bins, before.get(key), how, report)
  // One that is deleted and made again meanwhile may come twice, or not at all.
  const stood = (key: string, known: Version | undefined): boolean => {
    const { known: now, open, isChanging } = space.model.entry(key)
    return now === known && open.length === 0 && !isChanging
  }
  for (const key of twice) {
    if (stood(key, before.get(key))) report.fault(`${space.name}: a ${how} returned ${key} twice`)
  }
  for (const [key, known] of before) {
    if (known.there && stood(key, known) && !rows.has(key))
      report.fault(`${space.name}: a ${how} left out ${key} = ${known.n}`)
  }
  report.count(`${how}s compared`)
  report.count('rows compared', rows.size)
  return true
}

function checkRow(
  space: Space,
  key: string,
  bins: Record<string, unknown>,
  known: Version | undefined,
  how: string,
  report: Report,
): void {
  const n = Number(bins['n'])
  if (!areBinsOf(bins, space.lasts)) report.fault(`${space.name}: a ${how} returned parts of several values at ${key}`)
  else if (known !== undefined && (known.there ? n < known.n : n <= known.n)) {
    report.fault(`${space.name}: a ${how} returned ${n} at ${key}, which was ${known.n} before it began`)
  }
}

function open(running: Running, space: string, how: 'scan' | 'export'): Promise<IncomingMessage> {
  const lines = 'application/x-ndjson'
  return how === 'scan'
    ? running.open(
        'POST',
        `/api/v1/namespaces/${space}/scan`,
        JSON.stringify({ set: SET, threads: 2 }),
        undefined,
        lines,
      )
    : running.open('GET', `/api/v1/namespaces/${space}/export?set=${SET}&format=ndjson`)
}

/** Listens to live events, and begins again after a restart. */
export async function listen(server: Server, report: Report, isOver: () => boolean): Promise<void> {
  for (;;) {
    const running = await server.ready(isOver)
    if (running === undefined) return
    try {
      const answer = await running.open('GET', '/api/v1/live')
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        report.count('live bytes', chunk.length)
        if (isOver()) break
      }
    } catch {
      report.count('live streams broken off')
    }
    await setTimeout(100)
  }
}
