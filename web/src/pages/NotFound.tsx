import { Link } from '@tanstack/react-router'
import { Page } from '../shell/Page'
import { Card } from '../ui/Card'
import { Empty } from '../ui/Empty'
import { t } from '../language/text'

/** Shown for an unknown address. */
export function NotFound() {
  return (
    <Page title={t('Not found')}>
      <Card>
        <Empty
          title={t('This page does not exist')}
          action={
            <Link to="/" className="btn primary">
              {t('Go to the overview')}
            </Link>
          }
        >
          {t('The address may be wrong, or what it showed was deleted.')}
        </Empty>
      </Card>
    </Page>
  )
}
