// Guesses: when they wait, who does not have to, and that nobody can make the server forget them.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Guesses } from '../../src/auth/guesses.js'
import { networkOf } from '../../src/auth/network.js'
import { Throttle } from '../../src/auth/throttle.js'

const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

describe('networks', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, 'socket'],
  ])('%s is of %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

describe('a throttle', () => {
  const wrong = (throttle: Throttle, key: string, times: number) => {
    for (let time = 0; time < times; time += 1) throttle.begin(key)
  }

  test('lets ten guesses pass, and then doubles the wait up to a minute', () => {
    const throttle = new Throttle()
    wrong(throttle, 'a', 9)
    expect(throttle.waitMs('a')).toBe(0)
    const waits = Array.from({ length: 9 }, () => {
      throttle.begin('a')
      return Math.round(throttle.waitMs('a') / 1000)
    })
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
    expect(throttle.waitMs('b')).toBe(0)
    vi.advanceTimersByTime(MINUTE)
    expect(throttle.waitMs('a')).toBe(0)
    throttle.begin('a')
    expect(throttle.waitMs('a')).toBeGreaterThan(50_000)
  })

  test('forgets a key after a quarter of an hour', () => {
    const throttle = new Throttle()
    wrong(throttle, 'a', 20)
    vi.advanceTimersByTime(15 * MINUTE)
    expect(throttle.waitMs('a')).toBe(0)
    throttle.begin('b')
    expect(throttle.size).toBe(1)
  })

  test('a right guess takes back only itself', () => {
    const throttle = new Throttle()
    wrong(throttle, 'a', 10)
    throttle.begin('a')
    throttle.takeBack('a')
    expect(throttle.waitMs('a')).toBeGreaterThan(0)
  })

  test('ten thousand keys do not make it forget one, and further keys are throttled too', () => {
    const throttle = new Throttle()
    wrong(throttle, 'first', 16)
    for (let key = 0; key < 20_000; key += 1) throttle.begin(`key ${key}`)
    expect(throttle.size).toBe(10_000)
    expect(throttle.waitMs('first')).toBeGreaterThan(0)
    // 10,000 guesses of keys without a place have used up the shared ones.
    expect(throttle.waitMs('one more')).toBeGreaterThan(0)
    vi.advanceTimersByTime(15 * MINUTE)
    expect(throttle.waitMs('one more')).toBe(0)
    throttle.begin('one more')
    expect(throttle.size).toBe(1)
  })
})

describe('guesses of secrets', () => {
  const guess = (guesses: Guesses, secret: string, address = '192.0.2.7') => {
    const find = vi.fn(() => (secret.startsWith('right') ? secret : undefined))
    let code: unknown
    try {
      guesses.secret(address, secret, find)
    } catch (error) {
      code = (error as { code: string }).code
    }
    return { code, looks: find.mock.calls.length }
  }
  const fail = (guesses: Guesses, address?: string) => {
    for (let time = 0; time < 10; time += 1) guess(guesses, `wrong ${time}`, address)
  }

  test('a refused guess is not looked at, right or wrong', () => {
    const guesses = new Guesses()
    fail(guesses)
    for (const secret of ['wrong', 'right']) {
      expect(guess(guesses, secret)).toEqual({ code: 'too_many_logins', looks: 0 })
    }
    expect(guess(guesses, 'right', '192.0.2.8')).toEqual({ code: undefined, looks: 1 })
  })

  test('one that was right from there within the hour passes', () => {
    const guesses = new Guesses()
    guess(guesses, 'right')
    fail(guesses)
    expect(guess(guesses, 'right')).toEqual({ code: undefined, looks: 1 })
    expect(guess(guesses, 'right too').code).toBe('too_many_logins')
    vi.advanceTimersByTime(59 * MINUTE)
    fail(guesses)
    for (let more = 0; more < 10; more += 1) guess(guesses, `more ${more}`)
    expect(guess(guesses, 'right').code).toBeUndefined()
  })

  test('a program that repeats one wrong secret is no guesser', () => {
    const guesses = new Guesses()
    for (let time = 0; time < 1000; time += 1) guess(guesses, 'revoked')
    expect(guess(guesses, 'right').code).toBeUndefined()
  })

  test('all addresses of an IPv6 network count as one', () => {
    const guesses = new Guesses()
    for (let time = 0; time < 10; time += 1) guess(guesses, `wrong ${time}`, `2001:db8::${time}`)
    expect(guess(guesses, 'right', '2001:db8::ffff').code).toBe('too_many_logins')
    expect(guess(guesses, 'right', '2001:db8:0:1::1').code).toBeUndefined()
  })
})

describe('guesses of passwords', () => {
  const never = () => Promise.resolve(undefined)
  const from = (address: string, user: string, device?: string) => ({ address, user, device })

  test('count for the user, from wherever they come', async () => {
    const guesses = new Guesses()
    for (let time = 0; time < 10; time += 1) await guesses.password(from(`192.0.2.${time}`, 'ada'), never)
    const find = vi.fn(never)
    await expect(guesses.password(from('198.51.100.1', 'Ada'), find)).rejects.toMatchObject({ code: 'too_many_logins' })
    expect(find).not.toHaveBeenCalled()
    await expect(guesses.password(from('198.51.100.1', 'grace'), never)).resolves.toBeUndefined()
  })

  test('count for the network, whoever they are for, together with guesses of tokens', async () => {
    const guesses = new Guesses()
    for (let time = 0; time < 5; time += 1) await guesses.password(from('192.0.2.7', `user-${time}`), never)
    for (let time = 0; time < 5; time += 1) guesses.secret('192.0.2.7', `wrong ${time}`, () => undefined)
    await expect(guesses.password(from('192.0.2.7', 'ada'), never)).rejects.toMatchObject({ code: 'too_many_logins' })
  })

  test('many at once are counted before the first is answered', async () => {
    const guesses = new Guesses()
    let answer: (found: undefined) => void = () => undefined
    const open = new Promise<undefined>((resolve) => (answer = resolve))
    const find = vi.fn(() => open)
    const all = Array.from({ length: 100 }, () => guesses.password(from('192.0.2.7', 'ada'), find))
    const settled = Promise.allSettled(all)
    answer(undefined)
    expect((await settled).filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect(find).toHaveBeenCalledTimes(10)
  })

  test('right ones and those that could not be looked at do not count', async () => {
    const guesses = new Guesses()
    for (let time = 0; time < 20; time += 1) {
      await guesses.password(from('192.0.2.7', 'ada'), () => Promise.resolve('ada'))
      await guesses.password(from('192.0.2.7', 'ada'), () => Promise.reject(new Error('busy'))).catch(() => undefined)
    }
    await expect(guesses.password(from('192.0.2.7', 'ada'), never)).resolves.toBeUndefined()
  })

  test('a known device has a count of its own', async () => {
    const guesses = new Guesses()
    for (let time = 0; time < 10; time += 1) await guesses.password(from('192.0.2.7', 'ada'), never)
    const known = from('192.0.2.7', 'ada', 'device')
    for (let time = 0; time < 10; time += 1) await guesses.password(known, never)
    await expect(guesses.password(known, never)).rejects.toMatchObject({ code: 'too_many_logins' })
  })
})
