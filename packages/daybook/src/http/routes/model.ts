import type { ImageVariants } from '../../assets/images/variants.ts'
import { describeModel, modelReader } from '../../content/description/model-description.ts'
import type { Model } from '../../model/model.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { ReaderTexts, toResponse } from '../answers/reader-texts.ts'
import { defineReadRoute, PLAIN_ERRORS, type Route, readAnswers } from '../contract.ts'
import { MODEL_SCHEMA } from './model-schema.ts'

/** What the route of the content model needs. */
export interface ModelRouteParts {
  readonly model: Model
  readonly images: Pick<ImageVariants, 'rules'>
}

/** The content model, for programs that work with any config. */
export function modelRoutes({ model, images }: ModelRouteParts): readonly Route[] {
  const texts = new ReaderTexts()
  return [
    defineReadRoute({
      method: 'GET',
      path: '/api/cms/model',
      operationId: 'getModel',
      protection: 'session',
      summary: 'Describes the content model, and what the caller may do with it.',
      parameters: NO_PARAMETERS,
      conditions: ['ifMatch', 'ifNoneMatch'],
      answers: readAnswers(
        'Collections, globals, locales and plugins, as far as the caller may know them.',
        MODEL_SCHEMA,
      ),
      errors: [...PLAIN_ERRORS, 'UNAUTHORIZED', 'PRECONDITION_FAILED'],
      read: async ({ access }) => {
        const reader = await modelReader(model, access)
        return toResponse(
          await texts.get(reader.variant, () => JSON.stringify(describeModel(model, reader, images.rules.widths))),
        )
      },
    }),
  ]
}
