// Sessions outlive the server, unless something ended them meanwhile.
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { KeptSessions } from '../../src/auth/kept-sessions.js'
import { type Beginner, Sessions } from '../../src/auth/sessions.js'

const HOUR = 60 * 60_000
const config = { sessionIdleMs: HOUR, sessionLifeMs: 12 * HOUR }
const ada = { name: 'ada', stamp: 'of-her-password' }
const users = { stamp: (name: string) => (name === 'ada' ? ada.stamp : undefined) }

let directory: string
const warned: unknown[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-'))
  warned.length = 0
})

afterEach(async () => {
  vi.useRealTimers()
  expect(warned).toEqual([])
  await rm(directory, { recursive: true, force: true })
})

/** As a start of the server does. */
async function start(key = 'k', known = users, settings = config) {
  const sessions = new Sessions(settings)
  const kept = new KeptSessions(directory, sessions, (error) => warned.push(error))
  const damages = await kept.load(key, known)
  const begin = (beginner: Partial<Beginner> = {}): string =>
    sessions.begin({ address: '192.0.2.7', userAgent: 'curl', ...beginner }).secret
  return { sessions, kept, damages, begin }
}

const file = () => join(directory, 'sessions', 'sessions.json')

test('go on after a kill, with who began them and from where', async () => {
  const { sessions, kept, begin } = await start()
  const secrets = [begin(), begin({ user: ada }), begin({ address: undefined })]
  await kept.written()
  const after = await start()
  expect(after.damages).toEqual([])
  expect(secrets.map((secret) => after.sessions.find(secret))).toEqual(secrets.map((secret) => sessions.find(secret)))
})

test('the file has neither secrets nor stamps of passwords, and belongs to its owner alone', async () => {
  const { kept, begin } = await start()
  const secret = begin({ user: ada })
  await kept.written()
  const text = await readFile(file(), 'utf8')
  expect([text.includes(secret), text.includes(ada.stamp), text.includes('"ada"')]).toEqual([false, false, true])
  expect((await stat(file())).mode & 0o777).toBe(0o600)
})

test('one that was ended stays ended, and so do the own ones of the server and those of a provider', async () => {
  const { sessions, kept, begin } = await start()
  const person = { subject: 's', name: 'grace', grants: { server: undefined, list: [] }, sid: undefined }
  const secrets = [begin(), begin({ own: true }), begin({ person }), begin()]
  const [first] = sessions.list().reverse()
  if (first === undefined) throw new Error('there is no session')
  sessions.end(first)
  await kept.written()
  const after = await start()
  expect(secrets.map((secret) => after.sessions.find(secret) !== undefined)).toEqual([false, false, false, true])
})

test('another token, another password, or a user who is gone ends them', async () => {
  const { kept, begin } = await start()
  const [mine, hers] = [begin(), begin({ user: ada })]
  await kept.written()
  const found = async (key: string, stamp: string | undefined): Promise<boolean[]> => {
    const { sessions } = await start(key, { stamp: () => stamp })
    return [mine, hers].map((secret) => sessions.find(secret) !== undefined)
  }
  expect(await found('another', ada.stamp)).toEqual([false, false])
  expect(await found('k', 'of-another-password')).toEqual([true, false])
  expect(await found('k', undefined)).toEqual([true, false])
  expect(await found('k', ada.stamp)).toEqual([true, true])
})

test('one whose password its user has changed goes on', async () => {
  const { sessions, kept, begin } = await start()
  const secret = begin({ user: ada })
  const [session] = sessions.list()
  if (session === undefined) throw new Error('there is no session')
  sessions.renew(session, { name: 'ada', stamp: 'new' })
  await kept.written()
  const after = await start('k', { stamp: () => 'new' })
  expect(after.sessions.find(secret)?.user).toEqual({ name: 'ada', stamp: 'new' })
})

test('they end in time, by the settings of now, and their last use counts', async () => {
  const { sessions, kept, begin } = await start()
  vi.useFakeTimers({ toFake: ['Date'] })
  const [idle, busy] = [begin(), begin()]
  vi.setSystemTime(Date.now() + HOUR - 1)
  const [newest] = sessions.list()
  if (newest === undefined) throw new Error('there is no session')
  sessions.use(newest)
  await kept.close()
  vi.setSystemTime(Date.now() + 1)
  const after = await start()
  expect([idle, busy].map((secret) => after.sessions.find(secret) !== undefined)).toEqual([false, true])
  const stricter = await start('k', users, { ...config, sessionLifeMs: HOUR })
  expect(stricter.sessions.list()).toEqual([])
})

test('a damaged file is set aside and told, and new sessions are kept', async () => {
  const { kept, begin } = await start()
  const before = begin()
  await kept.written()
  await writeFile(file(), '{"version":1')
  const damaged = await start()
  expect(damaged.damages).toEqual([expect.stringContaining('is damaged: it is no JSON')])
  expect(damaged.sessions.find(before)).toBeUndefined()
  const secret = damaged.begin()
  await damaged.kept.written()
  expect(await readFile(`${file()}.damaged`, 'utf8')).toBe('{"version":1')
  const after = await start()
  expect([after.damages, after.sessions.find(secret) !== undefined]).toEqual([[], true])
})

test('what cannot be written is told, and the session holds until the end', async () => {
  const { sessions, kept, begin } = await start()
  await rm(directory, { recursive: true })
  const secret = begin()
  await kept.written()
  expect(sessions.find(secret)).toBeDefined()
  expect(warned.splice(0)).toHaveLength(1)
})

test('one that ended while nothing could be written does not come back', async () => {
  const { sessions, kept, begin } = await start()
  const secret = begin()
  await kept.written()
  const [session] = sessions.list()
  if (session === undefined) throw new Error('there is no session')
  await mkdir(`${file()}.new`)
  sessions.end(session)
  await kept.written()
  expect(warned.splice(0)).toHaveLength(1)
  expect((await start()).sessions.find(secret)).toBeUndefined()
})
