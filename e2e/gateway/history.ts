// What clients asked of records and what they were told, and whether one register for each key could have answered so:
// linearizability (Herlihy and Wing, 1990), checked as the answers come (Lowe, "Testing for Linearizability", 2016).

/** A record: its value, unique to the operation that wrote it, and its generation. Undefined: there is none. */
export type State = { readonly value: number; readonly generation: number } | undefined

/** What is asked of a record. `expected` is the generation that it must have. */
export type Step =
  | { readonly kind: 'read' }
  | { readonly kind: 'put'; readonly value: number }
  | { readonly kind: 'create'; readonly value: number }
  | { readonly kind: 'swap'; readonly value: number; readonly expected: number }
  | { readonly kind: 'delete'; readonly expected?: number }

/** An answer. Of `refused` the server says that nothing has changed. */
export type Outcome =
  | { readonly is: 'found'; readonly value: number; readonly generation: number }
  | { readonly is: 'written'; readonly generation: number; readonly created: boolean }
  | { readonly is: 'removed' | 'absent' | 'exists' | 'mismatch' | 'refused' }

/** Without an outcome it is open: it took effect before its server ended, or never. */
export interface Operation {
  readonly id: number
  readonly client: number
  readonly step: Step
  readonly begun: number
  ended?: number
  outcome?: Outcome
}

/** The operations on one key, from a start of the server to its end. */
export class History {
  readonly operations: Operation[] = []
  readonly #tick: () => number

  /** `tick` counts the moments of all histories that belong together. */
  constructor(tick: () => number) {
    this.#tick = tick
  }

  begin(client: number, step: Step): Operation {
    const begun = this.#tick()
    const operation = { id: begun, client, step, begun }
    this.operations.push(operation)
    return operation
  }

  /** Another answer to the same question. */
  answerAgain(operation: Operation, outcome: Outcome): void {
    const again = { ...operation, id: this.#tick() }
    this.operations.push(again)
    this.end(again, outcome)
  }

  end(operation: Operation, outcome: Outcome): void {
    operation.outcome = outcome
    operation.ended = this.#tick()
  }
}

/** No register can have answered `operation` as it was. */
export class Fault extends Error {
  readonly operation: Operation

  constructor(operation: Operation, before: readonly State[], operations: readonly Operation[]) {
    const states = [...new Set(before.map(nameOf))].join(' or ')
    const asked = operations.filter(({ begun }) => begun <= (operation.ended ?? Infinity))
    super(`no order of operations explains\n${lineOf(operation)}\nafter ${states}:\n${listOf(asked)}`)
    this.operation = operation
  }
}

/** A way in which things can have come about: the state, and those under way that have taken effect. */
interface Course {
  readonly state: State
  readonly done: ReadonlySet<Operation>
}

/**
 * The states that a record may be in after these operations, if it was in one of `initial` before them.
 * @throws {Fault} where there is none.
 */
export function check(operations: readonly Operation[], initial: readonly State[]): State[] {
  // What was refused has no effect: who sees its value has seen one that was never written. A read without an answer has none.
  const effective = operations.filter(
    ({ step, outcome }) => outcome?.is !== 'refused' && (outcome !== undefined || step.kind !== 'read'),
  )
  const moments = effective.flatMap((operation) => [
    { at: operation.begun, operation, ends: false },
    ...(operation.ended === undefined ? [] : [{ at: operation.ended, operation, ends: true }]),
  ])
  const pending = new Set<Operation>()
  let courses = distinct(initial.map((state) => ({ state, done: new Set() })))
  for (const { operation, ends } of moments.sort((a, b) => a.at - b.at)) {
    if (!ends) {
      pending.add(operation)
      continue
    }
    const reached = distinct(courses.flatMap((course) => until(course, operation, pending)))
    if (reached.length === 0)
      throw new Fault(
        operation,
        courses.map(({ state }) => state),
        operations,
      )
    pending.delete(operation)
    courses = distinct(reached.map(({ state, done }) => ({ state, done: without(done, operation) })))
  }
  // Each of those without an answer may have taken effect or not.
  const states = courses
    .flatMap((course) => [course, ...explore(course, pending, () => true)])
    .map(({ state }) => state)
  return [...new Map(states.map((state) => [nameOf(state), state])).values()]
}

/** The courses that go on from this one, and in which `operation` has just taken effect. */
function until(course: Course, operation: Operation, pending: ReadonlySet<Operation>): Course[] {
  if (course.done.has(operation)) return [course]
  return explore(course, pending, ({ done }) => !done.has(operation)).filter(({ done }) => done.has(operation))
}

/** All courses that come of pending operations taking effect; those that do not go on are the last of theirs. */
function explore(from: Course, pending: ReadonlySet<Operation>, goesOn: (course: Course) => boolean): Course[] {
  const seen = new Map<string, Course>()
  const left = [from]
  for (let course = left.pop(); course !== undefined; course = left.pop()) {
    if (!goesOn(course)) continue
    for (const operation of pending) {
      if (course.done.has(operation)) continue
      const next = after(course.state, operation)
      if (next === 'impossible') continue
      const reached = { state: next, done: new Set([...course.done, operation]) }
      const name = courseName(reached)
      if (seen.has(name)) continue
      seen.set(name, reached)
      left.push(reached)
    }
  }
  return [...seen.values()]
}

/** The state after an operation that takes effect on `state`, if it could be answered as it was. */
function after(state: State, { step, outcome }: Operation): State | 'impossible' {
  const only = (possible: boolean): State | 'impossible' => (possible ? state : 'impossible')
  const matches = !('expected' in step) || step.expected === undefined || state?.generation === step.expected
  switch (outcome?.is) {
    case 'found':
      return only(state?.value === outcome.value && state.generation === outcome.generation)
    case 'absent':
      return only(state === undefined)
    case 'exists':
      return only(state !== undefined)
    case 'mismatch':
      return only(state !== undefined && !matches)
    case 'removed':
      return state !== undefined && matches ? undefined : 'impossible'
    case 'refused':
      return 'impossible'
    case 'written':
    case undefined:
      break
  }
  if (step.kind === 'read') return only(outcome === undefined)
  if (step.kind === 'delete') return outcome === undefined && matches ? undefined : 'impossible'
  if (step.kind === 'create' && state !== undefined) return 'impossible'
  if (step.kind === 'swap' && !matches) return 'impossible'
  const next = { value: step.value, generation: (state?.generation ?? 0) + 1 }
  if (outcome === undefined) return next
  return outcome.generation === next.generation && outcome.created === (state === undefined) ? next : 'impossible'
}

function without(done: ReadonlySet<Operation>, operation: Operation): ReadonlySet<Operation> {
  return new Set([...done].filter((other) => other !== operation))
}

function distinct(courses: readonly Course[]): Course[] {
  return [...new Map(courses.map((course) => [courseName(course), course])).values()]
}

function courseName({ state, done }: Course): string {
  return `${nameOf(state)} ${[...done]
    .map(({ id }) => id)
    .sort((a, b) => a - b)
    .join(' ')}`
}

function nameOf(state: State): string {
  return state === undefined ? 'no record' : `${state.value} of generation ${state.generation}`
}

/** Operations as lines, in the order in which they began. */
export function listOf(operations: readonly Operation[]): string {
  return [...operations]
    .sort((a, b) => a.begun - b.begun)
    .map(lineOf)
    .join('\n')
}

function lineOf({ client, step, begun, ended, outcome }: Operation): string {
  const { kind, ...asked } = step
  const answer = outcome === undefined ? 'no answer' : JSON.stringify(outcome)
  return `${begun} to ${ended ?? 'the end'}: client ${client}: ${kind} ${JSON.stringify(asked)}: ${answer}`
}
