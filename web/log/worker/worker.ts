/// <reference lib="webworker" />
import { answerCalls } from '../../shared/rpc.ts';
import { workspace } from './workspace.ts';

answerCalls(
  self as unknown as Parameters<typeof answerCalls>[0],
  workspace((note) => self.postMessage({ note })),
);
