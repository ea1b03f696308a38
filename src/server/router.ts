import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { sendFile } from './file-answer.ts';
import { HttpError, headersOf, NOT_KEPT, quote, readJson, refusalOf } from './http.ts';
import type { Pages } from './pages.ts';
import type { Answer, Route } from './route.ts';

type Environment = { Bindings: HttpBindings };

export interface RouterOptions {
  readonly bodyBytes: number;
  readonly pages: Pages | undefined;
  /** Called with internal errors, which clients do not see. */
  readonly onError: (error: unknown) => void;
}

export function router(routes: readonly Route[], options: RouterOptions): Hono<Environment> {
  const app = new Hono<Environment>();
  for (const route of routes) app.on(route.method.toUpperCase(), pattern(route.path), (c) => answer(c, route, options));
  for (const { path } of routes) {
    const methods = routes.filter((route) => route.path === path).map(({ method }) => method.toUpperCase());
    const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
    app.all(pattern(path), (c) => {
      throw new HttpError(405, `${quote(c.req.path)} takes ${allowed}, not ${c.req.method}`, { Allow: allowed });
    });
  }
  app.get('*', (c) => page(c, options.pages));
  app.notFound((c) => refused(new HttpError(404, `${quote(c.req.path)} not found`)));
  app.onError((error) => refused(refusalOf(error, options.onError)));
  return app;
}

/** `/v1/files/{id}` as the router writes it. */
function pattern(path: string): string {
  return path.replace(/\{(\w+)\+\}/g, ':$1{.+}').replace(/\{(\w+)\}/g, ':$1');
}

async function answer(c: Context<Environment>, route: Route, { bodyBytes, onError }: RouterOptions): Promise<Response> {
  const { incoming: request, outgoing: response } = c.env;
  const body = route.method === 'post' ? await readJson(request, bodyBytes) : undefined;
  const call = { parameters: c.req.param(), query: new URL(c.req.url).searchParams, body, request, response };
  const made = await whole(() => route.handle(call), response, onError);
  if (!made) return RESPONSE_ALREADY_SENT;
  return new Response(made.body, {
    headers: {
      'Content-Type': made.type,
      'Content-Length': String(Buffer.byteLength(made.body)),
      'Cache-Control': NOT_KEPT,
    },
  });
}

async function page(c: Context<Environment>, pages: Pages | undefined): Promise<Response> {
  const file = pages?.find(c.req.path);
  if (!file) return c.notFound();
  await sendFile(c.env.incoming, c.env.outgoing, file);
  return RESPONSE_ALREADY_SENT;
}

/** After the head of an answer is sent, a failure can only end it. */
async function whole(
  make: () => Answer | Promise<Answer>,
  response: ServerResponse,
  onError: (error: unknown) => void,
): Promise<Answer> {
  try {
    return await make();
  } catch (error) {
    if (!response.headersSent) throw error;
    onError(error);
    response.destroy();
    return undefined;
  }
}

export function refused(refusal: HttpError): Response {
  return new Response(refusal.body, { status: refusal.status, headers: headersOf(refusal) });
}
