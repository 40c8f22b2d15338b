import { Link } from '@tanstack/react-router'
import { inPlace } from '../../search'
import { Card } from '../../ui/Card'
import { TextField } from '../../ui/inputs'
import { type ApiOperation, findOperations } from './operations'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

interface Props {
  operations: readonly ApiOperation[]
  chosen: string | undefined
  search: string
  onSearch: (text: string) => void
}

/** In its list, without moving the page. */
const bringIntoView = (link: HTMLElement | null): void => {
  const list = link?.closest('.operation-list')
  if (link === null || !(list instanceof HTMLElement)) return
  const from = link.offsetTop - list.offsetTop
  if (from < list.scrollTop || from > list.scrollTop + list.clientHeight - link.clientHeight) list.scrollTop = from
}

/** All operations by what they are about, with a search. */
export function OperationList({ operations, chosen, search, onSearch }: Props) {
  const found = findOperations(operations, search)
  return (
    <Card
      title={t('Operations')}
      aside={t('{found, plural, one {# operation} other {# operations}}', { found: found.length })}
    >
      <div className="stack">
        <TextField
          label={t('Search')}
          type="search"
          value={search}
          onChange={onSearch}
          placeholder={t('name, path or words')}
        />
        <nav className="operation-list" aria-label={t('Operations')}>
          {[...new Set(found.map(({ tag }) => tag))].map((about) => (
            <section key={about}>
              <h3 lang="en">{about}</h3>
              <ul>
                {found
                  .filter(({ tag }) => tag === about)
                  .map(({ id, method, path, summary }) => (
                    <li key={id}>
                      <Tip text={`${method} ${path}`}>
                        <Link
                          from="/api"
                          to="/api"
                          search={(now) => ({ ...now, op: id })}
                          replace={inPlace.replace}
                          resetScroll={false}
                          aria-current={id === chosen ? 'page' : undefined}
                          ref={id === chosen ? bringIntoView : undefined}
                        >
                          <span className={`verb ${method.toLowerCase()}`}>{method}</span>
                          <span lang="en">{summary}</span>
                        </Link>
                      </Tip>
                    </li>
                  ))}
              </ul>
            </section>
          ))}
          {found.length === 0 && <p className="mute">{t('No operation has all of these words.')}</p>}
        </nav>
      </div>
    </Card>
  )
}
