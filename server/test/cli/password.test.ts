// A password is typed at a terminal, and nobody sees it.
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { CliFailure } from '../../src/cli/failure.js'
import { typed } from '../../src/cli/password.js'

class Terminal extends PassThrough {
  readonly modes: boolean[] = []

  setRawMode(raw: boolean): void {
    this.modes.push(raw)
  }
}

function type(...keys: string[]) {
  const [from, to] = [new Terminal(), new PassThrough()]
  const password = typed(from, 'Password: ', to)
  for (const key of keys) from.write(key)
  return { password, from, shown: () => String(to.read()) }
}

test('all but the prompt stays hidden, and the terminal is as it was', async () => {
  const { password, from, shown } = type('corr', 'ect horsee', '\u007f', ' battery\r')
  expect(await password).toBe('correct horse battery')
  expect(shown()).toBe('Password: \n')
  expect(from.modes).toEqual([true, false])
})

test.each([
  ['Ctrl+C', 'abc\u0003', 'no password was given'],
  ['Ctrl+D', '\u0004', 'no password was given'],
  ['an empty line', '\r', 'give a password'],
  ['too much', `${'x'.repeat(5000)}\r`, 'give a password'],
])('%s is none, and the terminal is as it was', async (_, keys, message) => {
  const { password, from } = type(keys)
  await expect(password).rejects.toThrow(message)
  await expect(password).rejects.toBeInstanceOf(CliFailure)
  expect(from.modes).toEqual([true, false])
})
