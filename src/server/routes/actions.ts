import type { IncomingMessage } from 'node:http';
import { HttpError, JSON_TYPE } from '../http.ts';
import { ANYTHING, FLAG, json, listOf, objectOf, type Route, TEXT } from '../route.ts';
import type { LiveAction } from '../view.ts';

/** Actions: all are POST, and so need the token. @param hasToken whether a request carries the token */
export function actionRoutes(actions: readonly LiveAction[], hasToken: (request: IncomingMessage) => boolean): Route[] {
  return [listRoute(actions, hasToken), ...actions.map(actionRoute)];
}

function listRoute(actions: readonly LiveAction[], hasToken: (request: IncomingMessage) => boolean): Route {
  return {
    method: 'get',
    path: '/v1/actions',
    summary: 'What may be changed here, and whether this request has the token for it.',
    parameters: [],
    type: JSON_TYPE,
    schema: objectOf({ actions: listOf(objectOf({ name: TEXT, summary: TEXT })), token: FLAG }),
    handle({ request }) {
      const allowed = actions.filter(({ refusal }) => refusal === undefined);
      return json({ actions: allowed.map(({ name, summary }) => ({ name, summary })), token: hasToken(request) });
    },
  };
}

function actionRoute(action: LiveAction): Route {
  if (!/^[a-z0-9-]+$/.test(action.name))
    throw new RangeError(`action ${action.name}: expected lower-case letters, digits and hyphens`);
  return {
    method: 'post',
    path: `/v1/actions/${action.name}`,
    summary: action.summary,
    parameters: [],
    type: JSON_TYPE,
    schema: ANYTHING,
    async handle({ body }) {
      if (action.refusal !== undefined) throw new HttpError(403, action.refusal);
      const found = await action.run(body);
      if (found instanceof Uint8Array) return { type: JSON_TYPE, body: Buffer.from(found).toString() };
      return json(found ?? null);
    },
  };
}
