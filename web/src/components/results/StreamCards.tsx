import type { ReactNode } from 'react'
import type { RecordStream } from '../../records/use-record-stream'
import { Card } from '../../ui/Card'
import { CurlLine } from '../CurlLine'
import { StreamResult } from './StreamResult'
import { t } from '../../language/text'

export interface StreamCardsProps {
  form: { title: string; fields: ReactNode }
  plan: ReactNode
  /** what stands below the result */
  more?: ReactNode
  /** whether the page writes the whole result to a file */
  exports?: boolean
  stream: RecordStream
  idle: string
  call: { path: string; body: string }
}

/** The cards of a page that reads records: form, plan, rows, and the call. */
export function StreamCards({ form, plan, more, exports = false, stream, idle, call }: StreamCardsProps) {
  return (
    <div className="with-form">
      <Card title={form.title}>{form.fields}</Card>
      <div className="stack">
        {plan}
        <StreamResult stream={stream} idle={idle} exports={exports} path={call.path} body={call.body} />
        {more}
        <Card title={t('From the command line')}>
          <CurlLine method="POST" {...call} headers={{ Accept: 'application/x-ndjson' }} />
        </Card>
      </div>
    </div>
  )
}
