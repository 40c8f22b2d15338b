// The wrapper of the addon: the same methods, but a failure is thrown. Promises stay promises.
import {
  NativeBatchRead,
  NativeEvents,
  NativeHistory,
  NativeRejects,
  NativeRoom,
  NativeStream,
  NativeTally,
  type NativeFailure,
} from '#addon'
import { fromException, isFailure, StoreError } from './errors.js'

/** Classes whose objects are wrapped when a method answers with one. */
const answered = [
  NativeBatchRead,
  NativeEvents,
  NativeHistory,
  NativeRejects,
  NativeRoom,
  NativeStream,
  NativeTally,
] as const

type Answered = InstanceType<(typeof answered)[number]>

/** `R` without its failures. */
type Answer<R> = R extends NativeFailure
  ? never
  : R extends Promise<infer Later>
    ? Promise<Answer<Later>>
    : R extends Answered
      ? Throwing<R>
      : R

/** `T` with methods that throw a `StoreError` in place of answering with a failure. */
export type Throwing<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer R ? (...args: Args) => Answer<R> : T[Name]
}

/** The members of a class by its prototype, without its constructor. */
const membersOf = (prototype: object): string[] =>
  Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')

const known = new Map<unknown, string[]>(answered.map(({ prototype }) => [prototype, membersOf(prototype)]))

/** What the class of `object` has, as properties of a new object: it can be spread. Values are copied. */
export function throwing<T extends object>(object: T): Throwing<T> {
  const prototype = Object.getPrototypeOf(object) as object
  const members = object as Record<string, unknown>
  const view: Record<string, unknown> = {}
  for (const name of known.get(prototype) ?? membersOf(prototype)) {
    const member = members[name]
    view[name] = typeof member === 'function' ? throwingCall(member.bind(object)) : member
  }
  return view as Throwing<T>
}

/** As `throwing`, for one function. */
export function throwingCall<Args extends unknown[], R>(run: (...args: Args) => R): (...args: Args) => Answer<R> {
  return (...args) => {
    let answer: unknown
    try {
      answer = run(...args)
    } catch (error) {
      throw fromException(error)
    }
    return (answer instanceof Promise ? answer.then(settled, rethrow) : settled(answer)) as Answer<R>
  }
}

function settled(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer
  if (isFailure(answer)) throw new StoreError(answer)
  return known.has(Object.getPrototypeOf(answer)) ? throwing(answer) : answer
}

function rethrow(error: unknown): never {
  throw fromException(error)
}
