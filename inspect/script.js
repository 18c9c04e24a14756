
// Refreshes the page without a reload, so that it keeps its scroll position.
(() => {
  "use strict";
  const interval = 2000, share = 0.1; // milliseconds; the largest share of time spent on requests

  async function look() {
    if (document.hidden || !getSelection().isCollapsed) return; // hidden, or text is selected for copying
    const answer = await fetch(location.href, {headers: {Accept: "text/html"}, signal: AbortSignal.timeout(10000)});
    if (!answer.ok) throw new Error(answer.statusText);
    show(new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main"));
  }

  function show(next) {
    const at = [scrollX, scrollY];
    const focused = document.activeElement.id;
    for (const open of document.querySelectorAll("details[open]")) {
      const same = next.querySelector("#" + open.id);
      if (same) same.open = true;
    }
    document.querySelector("main").replaceWith(next);
    if (focused) document.getElementById(focused)?.focus({preventScroll: true});
    scrollTo(...at);
  }

  async function again() {
    const begin = performance.now();
    try {
      await look();
      document.body.classList.remove("unanswered");
    } catch {
      document.body.classList.add("unanswered");
    }
    setTimeout(again, Math.max(interval, (performance.now() - begin) / share));
  }
  setTimeout(again, interval);
})();
