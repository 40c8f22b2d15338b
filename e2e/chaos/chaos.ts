// Load and faults for a given time, then the comparison of all that is there with all that was acknowledged.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { newHome, removeHome } from '../gateway/gateway.ts'
import { Random } from '../gateway/random.ts'
import { Client, type Space } from './clients.ts'
import { makeClock } from './clock.ts'
import { mountDisk } from './disk.ts'
import { Faults } from './faults.ts'
import { type Sample, sample, type Trend, trend } from './measures.ts'
import { Model } from './model.ts'
import { compareWhole, listen, readWhole } from './readers.ts'
import { Report } from './report.ts'
import { type Running, Server } from './server.ts'
import { CLIENTS, DISK_MIB, KEYS, LISTENERS, READERS } from './settings.ts'

const MIB = 1024 ** 2
/** Less free room than this is a full disk. */
const ROOM = MIB

export interface Outcome {
  readonly report: Report
  readonly memory: Trend
  readonly files: Trend
}

function spaces(): Space[] {
  const device = { engine: 'device', capacityBytes: 320 * MIB, writeBlockBytes: MIB }
  const paged = { engine: 'paged', capacityBytes: 192 * MIB, cacheBytes: 32 * MIB }
  return [
    { name: 'kept', storage: device, lasts: true, model: new Model(true) },
    { name: 'pages', storage: paged, lasts: true, model: new Model(true) },
    { name: 'light', storage: { engine: 'memory' }, lasts: false, model: new Model(false) },
  ]
}

export async function chaos(seconds: number, seed: number, folder: string): Promise<Outcome> {
  const random = new Random(seed)
  const report = new Report(join(folder, 'chaos.log'))
  report.tell(`seed ${seed}, ${seconds} s`)
  const home = newHome()
  const data = join(home, 'data')
  const disk = await mountDisk(data, DISK_MIB, (line) => report.tell(line))
  const clock = makeClock(home, (line) => report.tell(line))
  const config = join(home, 'tessera.json')
  const enter = disk?.enter ?? []
  const server = new Server(
    { home, data, config, enter, variables: clock?.variables ?? {} },
    join(folder, 'gateway.log'),
  )
  const all = spaces()
  const forget = (): void => {
    for (const { lasts, model } of all) if (!lasts) model.forget()
  }
  const onDisk = all.filter(({ lasts }) => lasts).map(({ name }) => name)
  const faults = new Faults({ server, random, report }, { home, config }, { disk, clock }, forget, onDisk)
  const samples: Sample[] = []
  try {
    await faults.prepare()
    await create(await server.start(), all)
    const clients = Array.from(
      { length: CLIENTS },
      (_, n) => new Client(server, new Random(seed + 1 + n), report, all, n, KEYS),
    )
    await loaded({ server, report, all, clients, samples, seed }, (isOver) => harm(faults, random, seconds, isOver))
    report.tell('the end: every key is compared')
    for (const end of ['SIGKILL', 'SIGTERM'] as const) {
      await server.end(end)
      forget()
      await compareAll(await server.start(), clients, all, report)
    }
    // The known limits: on a disk without room a stop says by its code that it could not write all that it wanted.
    const isFull = disk !== undefined && disk.freeBytes() < ROOM
    const code = await server.end('SIGTERM')
    if (code !== 0 && !isFull) report.fault(`the last stop ended with ${code}`)
  } finally {
    await server.end('SIGKILL')
    await disk?.remove()
    removeHome(home)
    writeFileSync(join(folder, 'samples.json'), JSON.stringify(samples))
  }
  // Caches fill, and threads open what each of them needs.
  const warmUp = Math.min(300, seconds / 12)
  return {
    report,
    memory: trend(samples, ({ residentMib }) => residentMib, warmUp),
    files: trend(samples, ({ files }) => files, warmUp),
  }
}

async function create(running: Running, all: readonly Space[]): Promise<void> {
  for (const { name, storage, lasts } of all) {
    const config = { name, storage, durability: lasts ? 'commit' : 'none', segments: 16 }
    const { status, body } = await running.ask('POST', '/api/v1/namespaces', JSON.stringify(config))
    if (status !== 201) throw new Error(`a namespace was refused: ${body}`)
  }
}

interface Load {
  server: Server
  report: Report
  all: readonly Space[]
  clients: readonly Client[]
  samples: Sample[]
  seed: number
}

/** Does `what` while all clients are at work. What fails in one of them ends the test. */
async function loaded(
  { server, report, all, clients, samples, seed }: Load,
  what: (isOver: () => boolean) => Promise<void>,
): Promise<void> {
  let over = false
  const isOver = (): boolean => over
  const work = Promise.all([
    ...clients.map((client) => client.run(isOver)),
    ...Array.from({ length: READERS }, (_, n) => readWhole(server, new Random(seed - 1 - n), report, all, isOver)),
    ...Array.from({ length: LISTENERS }, () => listen(server, report, isOver)),
    watch(server, samples, report, isOver),
  ])
  work.catch(() => (over = true))
  try {
    await what(isOver)
  } finally {
    over = true
  }
  await work
}

async function compareAll(
  running: Running,
  clients: readonly Client[],
  all: readonly Space[],
  report: Report,
): Promise<void> {
  await Promise.all(clients.map((client) => client.readAll(running)))
  for (const space of all) {
    if (!(await compareWhole(running, space, 'scan', report)))
      report.fault(`the last scan of ${space.name} did not end`)
  }
}

/**
 * In turn: restarts, close to each other, and a long time of one process, in which memory is measured, with the faults that it has to
 * survive. One of each comes before any comes again.
 */
async function harm(faults: Faults, random: Random, seconds: number, isOver: () => boolean): Promise<void> {
  const rounds = Math.max(1, Math.round(seconds / 1200))
  const began = Date.now()
  for (let round = 0; round < rounds; round += 1) {
    const from = began + (round / rounds) * seconds * 1000
    const length = (seconds / rounds) * 1000
    await repeat(faults.ends, random, from + length * 0.3, isOver)
    await repeat(faults.stays, random, from + length, isOver)
  }
}

async function repeat(
  faults: readonly (() => Promise<void>)[],
  random: Random,
  until: number,
  isOver: () => boolean,
): Promise<void> {
  let bag: (() => Promise<void>)[] = []
  while (!isOver() && Date.now() < until) {
    if (bag.length === 0) bag = [...faults]
    const [fault] = bag.splice(random.below(bag.length), 1)
    await setTimeout(2000 + random.below(8000))
    await fault?.()
  }
}

async function watch(server: Server, samples: Sample[], report: Report, isOver: () => boolean): Promise<void> {
  let [number, began, told] = [0, 0, Date.now()]
  while (!isOver()) {
    const { now } = server
    if (now !== undefined) {
      if (now.number !== number) [number, began] = [now.number, Date.now()]
      const taken = sample(now.pid, number, (Date.now() - began) / 1000)
      if (taken !== undefined) samples.push(taken)
    }
    if (Date.now() - told > 60_000) {
      told = Date.now()
      const last = samples.at(-1)
      report.tell(`${last?.residentMib.toFixed(0)} MiB, ${last?.files} files; ${report.telling()}`)
    }
    await setTimeout(2000)
  }
}
