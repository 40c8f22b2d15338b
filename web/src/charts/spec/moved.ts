/** The part of an older list with which a list begins. */
interface Moved {
  old: object
  from: number
  kept: number
}

const moves = new WeakMap<object, Moved>()

/** Says that a list begins with a part of an older one, so that what is made of its values can be kept for that part. */
export function tellMoved(list: object, moved: Moved): void {
  // The older list keeps no list that is older still.
  moves.delete(moved.old)
  moves.set(list, moved)
}

export const movedFrom = (list: object): Moved | undefined => moves.get(list)
