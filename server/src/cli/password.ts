// Reads a password: from the terminal without showing it, or the first line of standard input.
import { createInterface } from 'node:readline'
import { inputFailure } from './failure.js'

const LENGTH_MAX = 1024
const [ENTER, LINE, INTERRUPT, END, BACKSPACE, DELETE] = ['\r', '\n', '\u0003', '\u0004', '\b', '\u007f']

/** A terminal, as far as it is needed. */
export interface Terminal extends NodeJS.ReadableStream {
  setRawMode(raw: boolean): unknown
}

/** A new password. A person types it twice. */
export async function newPassword(): Promise<string> {
  const { stdin } = process
  if (!stdin.isTTY) return firstLine(stdin)
  const first = await typed(stdin, 'New password: ', process.stderr)
  if (first !== (await typed(stdin, 'Again: ', process.stderr))) throw inputFailure('the two passwords differ')
  return first
}

async function firstLine(from: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: from })) return check(line)
  throw inputFailure('standard input has no password')
}

function check(password: string): string {
  if (password === '' || password.length > LENGTH_MAX) throw inputFailure('give a password of 12 to 256 characters')
  return password
}

/** What somebody types up to Enter, after a prompt. Nothing of it is shown. */
export async function typed(from: Terminal, prompt: string, to: NodeJS.WritableStream): Promise<string> {
  to.write(prompt)
  from.setRawMode(true)
  from.setEncoding('utf8')
  from.resume()
  try {
    return check(await untilEnter(from))
  } finally {
    from.setRawMode(false)
    from.pause()
    to.write('\n')
  }
}

function untilEnter(from: Terminal): Promise<string> {
  return new Promise((resolve, reject) => {
    let characters: string[] = []
    const take = (piece: string): void => {
      for (const character of piece) {
        if (character === ENTER || character === LINE) return end(() => resolve(characters.join('')))
        if (character === INTERRUPT || character === END)
          return end(() => reject(inputFailure('no password was given')))
        if (character === BACKSPACE || character === DELETE) characters = characters.slice(0, -1)
        else if (characters.length <= LENGTH_MAX) characters.push(character)
      }
    }
    const end = (then: () => void): void => {
      from.off('data', take)
      then()
    }
    from.on('data', take)
  })
}
