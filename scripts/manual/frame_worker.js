/* SPDX-License-Identifier: Apache-2.0 */
/* Search without a server: browsers start no worker from file:, so the search script runs in a frame there. */
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      const source = new URL(url, document.baseURI).href.replace(/"/g, "&quot;");
      const post = "postMessage = (data) => frameElement.received(data);";
      this.waiting = [];
      this.frame = frame;
      frame.hidden = true;
      frame.received = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      frame.addEventListener("load", () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      });
      frame.srcdoc = `<script>${post}<\/script><script src="${source}"><\/script>`;
      document.body.append(frame);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
