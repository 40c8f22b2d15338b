import { afterEach, expect, test } from 'vitest'
import { forgetKeys, keepKeys, takeKeys } from '../../src/shell/commands/early-keys'
import { takeTyped } from '../../src/shell/commands/typed-ahead'

afterEach(() => forgetKeys())

function press(key: string, modifiers: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...modifiers })
  document.body.dispatchEvent(event)
  return event
}

const taken = () => takeKeys().map(({ key }) => key)

test('shortcuts are kept in their order, until they are taken', () => {
  keepKeys()
  const events = ['g', 'l', '?'].map((key) => press(key))
  press('c', { ctrlKey: true })
  expect(events.map(({ defaultPrevented }) => defaultPrevented)).toEqual([false, false, false])
  expect(taken()).toEqual(['g', 'l', '?'])
  press('x')
  expect(taken()).toEqual([])
})

test.each([
  ['k', { ctrlKey: true }],
  ['K', { metaKey: true }],
  ['/', {}],
])('what is typed after %s %o is for the palette, and for nothing else', (key, modifiers) => {
  keepKeys()
  press('g')
  expect(press(key, modifiers).defaultPrevented).toBe(true)
  for (const letter of ['a', '💾', 'Backspace', 'Shift', ' ', '/', 'Enter', 'b']) press(letter)
  expect(taken()).toEqual(['g'])
  expect(takeTyped()).toEqual({ text: 'a /', isEntered: true })
  expect(takeTyped()).toEqual({ text: '', isEntered: false })
})

test('Escape takes the palette back', () => {
  keepKeys()
  press('/')
  press('a')
  press('Escape')
  press('n')
  expect(takeTyped()).toEqual({ text: '', isEntered: false })
  expect(taken()).toEqual(['n'])
})

test('as many are kept as anybody needs', () => {
  keepKeys()
  for (let n = 0; n < 1000; n += 1) press('g')
  expect(taken().length).toBeLessThanOrEqual(50)
  keepKeys()
  press('/')
  for (let n = 0; n < 1000; n += 1) press('a')
  expect(takeTyped().text.length).toBeLessThanOrEqual(100)
})

test('nothing is kept once it was forgotten', () => {
  keepKeys()
  press('n')
  press('/')
  press('a')
  forgetKeys()
  press('b')
  expect(taken()).toEqual([])
  expect(takeTyped()).toEqual({ text: '', isEntered: false })
})
