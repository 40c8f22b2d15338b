// What a page of the docs tells its reader to type.

export interface Task {
  heading: string
  command: string
  /** What the page shows as the answer. */
  answer?: string
}

/** The shell blocks of a page, each with the heading above it, and the plain block that follows it before the next one. */
export function tasks(page: string): Task[] {
  const found: Task[] = []
  let heading = ''
  for (const [text, title, command, answer] of page.matchAll(
    /^#+ (.+)$|^```sh\n([^]*?)^```|^```(?:\w+)?\n([^]*?)^```/gm,
  )) {
    const last = found.at(-1)
    if (title !== undefined) heading = title
    else if (command !== undefined) found.push({ heading, command: command.trim() })
    else if (answer === undefined) throw new Error(`not understood: ${text}`)
    else if (last !== undefined && last.answer === undefined) last.answer = answer.trim()
  }
  return found
}
