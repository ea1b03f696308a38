import { JSON_TYPE } from './headers.ts';
import { json, type Route } from './route.ts';
import { ANYTHING, listOf, objectOf, TEXT } from './shape.ts';
import type { LiveAction } from './view.ts';

/** What may be changed. All of it is POST, and so behind the token. */
export function actionRoutes(actions: readonly LiveAction[]): Route[] {
  return [listRoute(actions), ...actions.map(actionRoute)];
}

function listRoute(actions: readonly LiveAction[]): Route {
  return {
    method: 'get',
    path: '/v1/actions',
    summary: 'What may be changed here, so that pages show no more than that.',
    parameters: [],
    type: JSON_TYPE,
    schema: objectOf({ actions: listOf(objectOf({ name: TEXT, summary: TEXT })) }),
    handle: () => json({ actions: actions.map(({ name, summary }) => ({ name, summary })) }),
  };
}

function actionRoute(action: LiveAction): Route {
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
}
