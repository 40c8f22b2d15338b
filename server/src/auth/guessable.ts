// Passwords that a guesser tries early: common ones, keyboard rows, repeats, and these with the usual changes.
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/** Longer ones are looked at so far: what comes behind only makes them harder. It also bounds the time. */
const LOOKED_AT = 32
/** Guesses that a password has to stand, as a power of ten: an attacker who has the hashes needs years for so many. */
const LEAST = 8
/** Words that belong to this product. */
const OURS = ['tessera']

let factory: Promise<ZxcvbnFactory> | undefined

/** The lists take 8 MB, and few servers get a new password between two starts. */
async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: LOOKED_AT })
}

/** Whether fewer than 100 million guesses find it. `user`: a word that guessers know. */
export async function isGuessable(password: string, user: string): Promise<boolean> {
  factory ??= load()
  return (await factory).check(password, [user, ...OURS]).guessesLog10 < LEAST
}
