import { JSON_TYPE } from './headers.ts';
import { json, type Route } from './route.ts';
import { ANYTHING } from './shape.ts';
import type { LiveAction } from './view.ts';

/** What may be changed. All of it is POST, and so behind the token. */
export function actionRoutes(actions: readonly LiveAction[]): Route[] {
  return actions.map((action) => {
    if (!/^[a-z0-9-]+$/.test(action.name)) throw new RangeError(`action ${action.name}: no such name can be in a path`);
    return {
      method: 'post',
      path: `/v1/actions/${action.name}`,
      summary: action.summary,
      parameters: [],
      type: JSON_TYPE,
      schema: ANYTHING,
      handle: async ({ body }) => json((await action.run(body)) ?? null),
    };
  });
}
