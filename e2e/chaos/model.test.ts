import { expect, test } from 'vitest'
import { binsOf, Model, nextVersion } from './model.ts'

function written(): { model: Model; n: number } {
  const model = new Model(true)
  const version = nextVersion(true)
  model.entry('k').known = version
  return { model, n: version.n }
}

test('the last acknowledged value is right, and no other', () => {
  const { model, n } = written()
  expect(model.read('k', binsOf(n, true))).toBeUndefined()
  expect(model.read('k', undefined)).toContain('may hold')
  expect(model.read('k', binsOf(n + 1, true))).toContain('may hold')
})

test('a change without an answer may be there or not, until a read of the next process has settled it', () => {
  const { model, n } = written()
  const open = nextVersion(true)
  model.entry('k').open.push(open)
  model.entry('k').heldIn = 1
  expect(model.read('k', binsOf(n, true))).toBeUndefined()
  expect(model.read('k', binsOf(open.n, true))).toBeUndefined()
  model.entry('k').heldIn = undefined
  expect(model.read('k', binsOf(open.n, true))).toBeUndefined()
  expect(model.read('k', binsOf(n, true))).toContain('may hold')
})

test('parts of two values are no value', () => {
  const { model, n } = written()
  expect(model.read('k', { ...binsOf(n, true), text: 'of another' })).toContain('several')
})
