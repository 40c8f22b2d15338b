// Sessions and their cookies: when they end, and that those of two servers do not meet.
import type { FastifyRequest } from 'fastify'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Access } from '../../src/auth/access.js'
import { markCookie, markIn, noSession, sessionCookie, sessionIn } from '../../src/auth/cookies.js'
import { type Beginner, type Session, Sessions } from '../../src/auth/sessions.js'

const HOUR = 60 * 60_000
const config = { sessionIdleMs: HOUR, sessionLifeMs: 12 * HOUR }

describe('sessions', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const begin = (sessions: Sessions, beginner: Partial<Beginner> = {}): Session => {
    const { secret } = sessions.begin({ address: '192.0.2.7', ...beginner })
    const session = sessions.find(secret)
    if (session === undefined) throw new Error('it has ended already')
    return session
  }
  const ada = { name: 'ada', stamp: 'x' }

  test('end after an hour without use, and after twelve in any case', () => {
    const sessions = new Sessions(config)
    const idle = begin(sessions)
    const busy = begin(sessions)
    for (let hour = 0; hour < 12; hour += 1) {
      vi.advanceTimersByTime(HOUR - 1)
      expect(sessions.hasEnded(busy)).toBe(false)
      sessions.use(busy)
    }
    expect(sessions.hasEnded(idle)).toBe(true)
    vi.advanceTimersByTime(12)
    expect(sessions.hasEnded(busy)).toBe(true)
    expect(sessions.list()).toEqual([])
  })

  test('one user cannot end those of another by starting many', () => {
    const sessions = new Sessions(config)
    const other = begin(sessions)
    const first = begin(sessions, { user: ada })
    vi.advanceTimersByTime(1)
    const second = begin(sessions, { user: ada })
    vi.advanceTimersByTime(1)
    sessions.use(first)
    for (let more = 0; more < 19; more += 1) begin(sessions, { user: ada })
    expect([other, first, second].map((one) => sessions.hasEnded(one))).toEqual([false, false, true])
    expect(sessions.list()).toHaveLength(21)
  })

  test('of a user end together, but for one', () => {
    const sessions = new Sessions(config)
    const all = [begin(sessions, { user: ada }), begin(sessions, { user: ada }), begin(sessions)]
    sessions.endOf('ada', all[1])
    expect(all.map((one) => sessions.hasEnded(one))).toEqual([true, false, false])
  })

  test("the server's own are not listed, and are never idle", () => {
    const sessions = new Sessions(config)
    const own = begin(sessions, { own: true })
    vi.advanceTimersByTime(2 * HOUR)
    expect([sessions.hasEnded(own), sessions.list()]).toEqual([false, []])
  })
})

describe('cookies', () => {
  const credential = { secret: 'abc-_1', expiresAtMs: Date.now() + HOUR }
  const requestOf = (access: Access, cookie: string | undefined, protocol: 'http' | 'https' = 'http') =>
    ({
      server: { access, config: { basePath: '' } },
      protocol,
      headers: { ...(cookie !== undefined && { cookie }) },
    }) as unknown as FastifyRequest
  const ours = new Access('A'.repeat(43))
  const theirs = new Access('B'.repeat(43))
  const pair = (cookie: string) => cookie.split(';')[0] ?? ''

  test('a server reads its own among those of others', () => {
    const mine = pair(sessionCookie(credential, { id: ours.id, secure: false, path: '' }))
    const other = pair(sessionCookie({ ...credential, secret: 'other' }, { id: theirs.id, secure: false, path: '' }))
    const request = requestOf(ours, `a=b; ${other}; ${mine}; c`)
    expect(sessionIn(request)).toBe('abc-_1')
    expect(sessionIn(requestOf(ours, other))).toBeNull()
    expect(sessionIn(requestOf(ours, `not_${mine}`))).toBeNull()
    expect(sessionIn(requestOf(ours, undefined))).toBeNull()
  })

  test('under TLS they are secure, and belong to this host alone', () => {
    const cookie = sessionCookie(credential, { id: ours.id, secure: true, path: '' })
    expect(cookie).toMatch(
      /^__Host-tessera_session_[0-9a-f]{8}=abc-_1; Path=\/; HttpOnly; SameSite=Strict; .*; Secure$/,
    )
    expect(sessionIn(requestOf(ours, pair(cookie), 'https'))).toBe('abc-_1')
    // One that plain HTTP has set does not count under TLS.
    const plain = sessionCookie(credential, { id: ours.id, secure: false, path: '' })
    expect(plain).not.toContain('Secure')
    expect(sessionIn(requestOf(ours, pair(plain), 'https'))).toBeNull()
  })

  test('below a path they are for that alone, and still secure under TLS', () => {
    const cookie = sessionCookie(credential, { id: ours.id, secure: true, path: '/tessera' })
    expect(cookie).toMatch(/^__Secure-tessera_session_[0-9a-f]{8}=abc-_1; Path=\/tessera; HttpOnly; .*; Secure$/)
  })

  test('an ended session deletes its cookie', () => {
    expect(sessionCookie(noSession, { id: ours.id, secure: false, path: '' })).toContain('=; Path=/; ')
    expect(sessionCookie(noSession, { id: ours.id, secure: false, path: '' })).toContain('Max-Age=0')
  })

  test('the mark of a device is of one user, password and server, and cannot be made up', () => {
    const ada = { name: 'ada', stamp: 'old' }
    const mark = ours.devices.newMark(ada)
    const request = requestOf(ours, pair(markCookie(mark, { id: ours.id, secure: false, path: '' })))
    expect(markIn(request)).toBe(mark)
    expect(ours.devices.deviceOf(mark, ada)).toBe(mark.split('.')[0])
    for (const [devices, wrong, user] of [
      [ours.devices, mark, { ...ada, name: 'grace' }],
      [ours.devices, mark, { ...ada, stamp: 'new' }],
      [theirs.devices, mark, ada],
      [ours.devices, `x${mark}`, ada],
      [ours.devices, '.', ada],
      [ours.devices, null, ada],
    ] as const) {
      expect(devices.deviceOf(wrong, user)).toBeUndefined()
    }
  })
})
