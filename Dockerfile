# The demo on CPU, or with `--gpus all` on CUDA: docker build -t respec-studio . && docker run --rm -p 7860:7860 respec-studio
FROM python:3.11-slim
RUN useradd --create-home studio
WORKDIR /home/studio/app
COPY requirements.txt constraints.txt ./
RUN python -m pip install --no-cache-dir -c constraints.txt -r requirements.txt
COPY --chown=studio . .
USER studio
RUN python -m respec_core models fetch smollm2-135m
ENV GRADIO_SERVER_NAME=0.0.0.0
EXPOSE 7860
HEALTHCHECK --start-period=180s CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:7860/health')"]
ENTRYPOINT ["python", "app.py"]
