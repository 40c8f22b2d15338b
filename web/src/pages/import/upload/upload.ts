import { beginCall } from '../../../api/calls'
import { here } from '../../../base-path'
import { problemFrom, unreachable } from '../../../api/problem'
import type { ImportReport } from '../../../api/types'
import { t } from '../../../language/text'

export interface Upload {
  done: Promise<ImportReport>
  abort: () => void
}

/** Sends a file, or a part of it, with progress. Uses XMLHttpRequest, because fetch does not report upload progress. */
export function upload(
  method: 'POST' | 'PUT',
  path: string,
  { body, file, headers }: { body: Blob; file: string; headers: Record<string, string> },
  onSent: (bytes: number) => void,
): Upload {
  const request = new XMLHttpRequest()
  const end = beginCall(method, path, { headers, file })
  const done = new Promise<ImportReport>((resolve, reject) => {
    request.open(method, here(path))
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', (event) => onSent(event.loaded))
    request.addEventListener('load', () => {
      end(request.status)
      const answer = decode(request.responseText)
      if (request.status === 200) resolve(answer as ImportReport)
      else reject(problemFrom(request.status, answer))
    })
    request.addEventListener('error', () => {
      end('failed')
      reject(unreachable())
    })
    request.addEventListener('abort', () => {
      end('failed')
      reject(new DOMException(t('The upload was stopped'), 'AbortError'))
    })
    request.send(body)
  })
  return { done, abort: () => request.abort() }
}

function decode(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
