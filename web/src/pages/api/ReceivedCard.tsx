import { Fragment } from 'react'
import { bytes, duration } from '../../format'
import { Card } from '../../ui/Card'
import { CodeBlock } from '../../ui/Copy'
import { type Received, SHOWN_BYTES } from './received'
import { t } from '../../language/text'

/** The answer to a call: status, time, size, headers and body. */
export function ReceivedCard({ received }: { received: Received }) {
  const { status, headers, milliseconds, text, state } = received
  const type = headers.find(([name]) => name === 'content-type')?.[1]
  return (
    <Card
      title={t('Answer')}
      aside={
        <span role="status">
          <span className={`badge ${status < 400 ? 'good' : 'bad'}`}>{status}</span> {duration(milliseconds / 1000)}
          {' ·'} {bytes(received.bytes)}
          {state === 'arriving' && ` · ${t('arriving')}`}
          {state === 'stopped' && ` · ${t('stopped')}`}
        </span>
      }
    >
      <div className="stack">
        {text === '' ? (
          <p className="mute">
            {received.bytes === 0 && t('The body is empty.')}
            {received.bytes > 0 &&
              (type === undefined ? t('The body is not text.') : t('The body is {type}.', { type }))}
          </p>
        ) : (
          <div className="answer-body">
            <CodeBlock label={t('Body of the answer')} text={text} />
          </div>
        )}
        {state === 'cut' && (
          <p className="mute">
            {t('The first {shownbytes} are shown. Use the line of curl for the whole answer.', {
              shownbytes: bytes(SHOWN_BYTES),
            })}
          </p>
        )}
        <details>
          <summary>{t('Headers')}</summary>
          <dl className="facts">
            {headers.map(([name, value]) => (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </Fragment>
            ))}
          </dl>
        </details>
      </div>
    </Card>
  )
}
