// Server-sent events, from the text of an answer.

export interface ServerEvent {
  event: string
  data: string
}

/** Splits text into events as it comes. Comments and unknown fields are skipped. */
export class EventParser {
  #rest = ''
  #event = ''
  #data: string[] = []

  /** Returns the events that end in this text. */
  push(text: string): ServerEvent[] {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#line(line.endsWith('\r') ? line.slice(0, -1) : line))
  }

  #line(line: string): ServerEvent[] {
    if (line === '') {
      const event = { event: this.#event || 'message', data: this.#data.join('\n') }
      const isEmpty = this.#data.length === 0
      this.#event = ''
      this.#data = []
      return isEmpty ? [] : [event]
    }
    const [, name = '', value = ''] = /^([^:]*)(?::\s?(.*))?$/.exec(line) ?? []
    if (name === 'event') this.#event = value
    if (name === 'data') this.#data.push(value)
    return []
  }
}
