import { expect, test } from 'vitest'
import { files, generated, isSource, isTest, read } from './tree.ts'

const hardStop = 500

/** Path → why it may be longer than the hard stop. */
const exceptions: Readonly<Record<string, string>> = {}

const lines = (path: string): number => read(path).split('\n').length

test('no source file is longer than the hard stop', () => {
  const long = files
    .filter((path) => isSource(path) && !isTest(path) && !generated.includes(path) && !(path in exceptions))
    .filter((path) => lines(path) > hardStop)
  expect(long).toEqual([])
})

test('every exception still needs to be one', () => {
  expect(Object.keys(exceptions).filter((path) => !files.includes(path) || lines(path) <= hardStop)).toEqual([])
})
